import { type Contender, type ContenderName, contenderNames } from '../contenders/contenders.ts';
import type { Rig } from '../rig.ts';
import type { Bench } from './measure.ts';

/** One sample of each contender in every counted round. */
export type Samples<T> = Record<ContenderName, T[]>;

/**
 * Takes `sample` of every contender in turn, round after round, each round beginning with another one, so that a machine
 * whose speed drifts drifts for all of them. The first round warms up and does not count.
 */
export async function inRounds<T>(
  { rounds, say, rig }: Bench,
  what: string,
  sample: (contender: Contender, rig: Rig) => Promise<T>,
): Promise<Samples<T>> {
  const opened = await rig();
  const running = await Promise.all(contenderNames.map((name) => opened.start(name)));
  const samples = emptySamples<T>();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
      for (const contender of rotated(running, round)) {
        const taken = await sample(contender, opened);
        if (round > 0) samples[contender.name].push(taken);
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
  return samples;
}

export function emptySamples<T>(): Samples<T> {
  return Object.fromEntries(contenderNames.map((name) => [name, []])) as unknown as Samples<T>;
}

export function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
