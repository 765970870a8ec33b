import fc from 'fast-check';
import { anyCase, type Case } from './arbitraries/cases.ts';
import { calibrate } from './cost/calibrate.ts';
import { createCostClasses } from './cost/cost-classes.ts';
import { createGrowth } from './cost/growth.ts';
import { complaintsAboutCost } from './cost/judge-cost.ts';
import { complaints } from './oracle/oracle.ts';
import { startTarget, type Target } from './target.ts';
import { tryCase } from './try-case.ts';

const casesOfBatch = 200;
/** How long a failing case is made smaller, in milliseconds. */
const shrinkingMilliseconds = 120_000;

type Options = {
  seed: number;
  seconds: number;
  /** Only the case at this place of the first batch, as a failure named it. */
  path: string | undefined;
  say: (line: string) => void;
};

export type Failure = { seed: number; path: string; smallest: Case; complaints: readonly string[] };

/** Tries cases until the time is over or one fails, which is then made as small as it can be. */
export async function runCampaign({
  seed,
  seconds,
  path,
  say,
}: Options): Promise<{ cases: number; failure?: Failure }> {
  const costs = createCostClasses();
  const growth = createGrowth();
  let target: Target | undefined;
  let cases = 0;
  let shrinkingUntil: number | undefined;

  await ready();
  const deadline = performance.now() + seconds * 1_000;

  async function ready(): Promise<Target> {
    if (target !== undefined) return target;
    target = await startTarget();
    if (cases === 0) await calibrate(target, costs);
    return target;
  }

  /** The process is gone, does not answer or works on: the next case has another. */
  async function discard(): Promise<void> {
    await target?.stop();
    target = undefined;
  }

  /** @throws `Complaints` where a rule is broken */
  async function property(tried: Case): Promise<void> {
    if (performance.now() > (shrinkingUntil ?? deadline)) return;
    cases += 1;
    const found = await complaintsOf(tried);
    if (found.length === 0) return;
    if (shrinkingUntil === undefined) {
      shrinkingUntil = performance.now() + shrinkingMilliseconds;
      say(`Case ${cases} fails, and is made smaller:\n${found.join('\n')}`);
    }
    throw new Complaints(found);
  }

  async function complaintsOf(tried: Case): Promise<string[]> {
    try {
      return await tryOnce(await ready(), tried);
    } catch (error) {
      await discard();
      return [String(error)];
    }
  }

  async function tryOnce(against: Target, tried: Case): Promise<string[]> {
    const { evidence, sizeBytes } = await tryCase(against, tried);
    const found = complaints(evidence);
    if (!evidence.settled.over) await discard();
    if (found.length > 0) return found;
    const { cpuMicroseconds } = evidence.settled;
    if (shrinkingUntil === undefined) costs.add(sizeBytes, cpuMicroseconds);
    return complaintsAboutCost(against, costs, { tried, sizeBytes, cpuMicroseconds });
  }

  try {
    for (let batch = 0; performance.now() < deadline; batch += 1) {
      const seedOfBatch = seed + batch;
      const details = await fc.check(fc.asyncProperty(anyCase, property), {
        seed: seedOfBatch,
        ...(path === undefined ? { numRuns: casesOfBatch } : { numRuns: 1, path }),
      });
      if (details.failed && details.counterexample !== null && details.counterexamplePath !== null) {
        const [smallest] = details.counterexample;
        const { errorInstance } = details;
        const said = errorInstance instanceof Complaints ? errorInstance.sentences : [String(errorInstance)];
        return { cases, failure: { seed: seedOfBatch, path: details.counterexamplePath, smallest, complaints: said } };
      }
      if (path !== undefined) break;
      const grown = growth(await (await ready()).measure());
      if (grown.length > 0) throw new Error(`After ${cases} cases: ${grown.join(' ')}`);
      say(`${cases} cases, seed ${seedOfBatch}: all well.`);
    }
    return { cases };
  } finally {
    await target?.stop();
  }
}

class Complaints extends Error {
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    this.sentences = sentences;
  }
}
