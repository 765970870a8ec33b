import { expect } from 'chai';
import { array, integer, nat, record } from 'fast-check';
import type { Admission, TokenWindow } from '../../../server/limits/token-window.ts';

type Use = { id: string; at: number; tokens: number };

/** After so many units of time, a turn begins, or an earlier one is settled: at less than was reserved, or at more. */
export function anyTokenUses({ windowUnits, most }: { windowUnits: number; most: number }) {
  return array(
    record({
      wait: integer({ min: -windowUnits, max: windowUnits + 1 }).map((wait) => Math.max(wait, 0)),
      settles: nat({ max: 2 }).map((kind) => kind === 0),
      which: nat({ max: 1000 }),
      tokens: integer({ min: 0, max: 60 }),
    }),
    { maxLength: most, size: 'max' },
  );
}

/** The statements themselves, by adding up: what a window of `budget` tokens and `windowUnits` has to answer. */
export function createModel({ budget, windowUnits }: { budget: number; windowUnits: number }) {
  const uses: Use[] = [];
  const usedAt = (time: number) =>
    uses.filter(({ at }) => time - at < windowUnits).reduce((sum, { tokens }) => sum + tokens, 0);

  return {
    usedAt,
    /** The units until the sum is below the budget: 0 where it is, else a time at which some use ages out. */
    waitAt(time: number): number {
      const waits = [0, ...uses.map(({ at }) => at + windowUnits - time).filter((wait) => wait > 0)];
      const enough = waits.filter((wait) => usedAt(time + wait) < budget);
      return Math.min(...enough);
    },
    reserve: (use: Use) => void uses.push(use),
    /** Settles the use by this number, whatever it is; gives its id. */
    settle(which: number, tokens: number): string {
      const use = uses[which % uses.length];
      if (use === undefined) return 'unknown';
      use.tokens = tokens;
      return use.id;
    },
  };
}

type Step = { wait: number; settles: boolean; which: number; tokens: number };

/**
 * Takes the steps on `windows`, in turn, and compares each answer with the model's. `pass` lets time go by, in units of
 * `unitMilliseconds`; `lateMilliseconds` says by how much it has gone by itself.
 */
export async function expectModelsAnswers(
  steps: readonly Step[],
  options: {
    windows: readonly TokenWindow[];
    budget: number;
    windowUnits: number;
    unitMilliseconds: number;
    pass: (units: number) => Promise<void> | void;
    lateMilliseconds?: () => number;
  },
): Promise<void> {
  const { windows, unitMilliseconds, pass, lateMilliseconds = () => 0 } = options;
  const model = createModel(options);
  let now = 0;
  for (const [index, { wait, settles, which, tokens }] of steps.entries()) {
    const window = windows[index % windows.length];
    if (window === undefined) throw new Error('There is no window.');
    if (wait > 0) await pass(wait);
    now += wait;
    if (settles) {
      await window.settle(model.settle(which, tokens), tokens);
    } else {
      const waitUnits = model.waitAt(now);
      const admission = await window.reserve(String(index), tokens);
      expect(admission.admitted, `step ${index}`).to.equal(waitUnits === 0);
      if (waitUnits === 0) model.reserve({ id: String(index), at: now, tokens });
      const expected = waitUnits * unitMilliseconds;
      expect(waitOf(admission), `step ${index}`).to.be.within(expected - lateMilliseconds(), expected);
    }
    expect(await window.used(), `after step ${index}`).to.equal(model.usedAt(now));
  }
}

function waitOf(admission: Admission): number {
  return admission.admitted ? 0 : admission.waitMilliseconds;
}
