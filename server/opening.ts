import type { Config } from './config/config.ts';
import { printableReason } from './config/secrets.ts';

/** Like `Promise.all`, but a failure waits for the others, so that what they have opened can be closed. */
export async function allSettled<T extends readonly unknown[]>(openings: readonly [...T]) {
  await Promise.allSettled(openings);
  return Promise.all(openings);
}

/** Says which part cannot be opened, and what to look at. */
export function namedBy(config: Config) {
  return async <T>(part: string, variables: string, opening: Promise<T>): Promise<T> => {
    try {
      return await opening;
    } catch (cause) {
      throw new Error(`Cannot open ${part} (${variables}): ${printableReason(cause, config)}`, { cause });
    }
  };
}
