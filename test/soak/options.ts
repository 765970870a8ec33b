import { parseArgs } from 'node:util';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

const optionsSchema = z.object({
  turns: count.default(10_000),
  users: count.optional(),
  seed: z.coerce.number().int().min(0).default(20_261_121),
  faults: z.coerce.number().int().min(0).optional(),
});

export type Options = { turns: number; users: number; seed: number; faults: number };

/** As many faults as strike a standard run. */
const mostFaults = 27;

/**
 * What the command line says of a run. What it leaves open follows from the number of turns: people enough to be many at
 * once, and a fault for every few dozen turns.
 */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      turns: { type: 'string' },
      users: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'string' },
    },
  });
  const { turns, seed, users, faults } = optionsSchema.parse(values);
  return {
    turns,
    seed,
    users: users ?? within(turns / 5, 10, 300),
    faults: faults ?? within(turns / 37, 1, mostFaults),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.floor(value)));
}
