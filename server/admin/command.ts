import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Database } from '../database/database.ts';
import type { Budgets } from '../database/turns.ts';

export type Administration = Database['administration'];

/** Every option that some command takes. */
export const options = {
  json: { type: 'boolean' },
  week: { type: 'string' },
  focus: { type: 'string' },
  hypotheses: { type: 'string' },
  unknowns: { type: 'string' },
  findings: { type: 'string' },
  file: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

export type Command = {
  /** The names of what has to follow the command, in order. */
  operands: readonly string[];
  options: readonly (keyof OptionValues)[];
  /** Whether it makes no sense without any of them. */
  needsOption?: boolean;
  /** What it does, in a line or more. */
  help: string;
  /**
   * Does it and gives what is to be printed. `budgets` are the day's tokens of a person and of an organization.
   * @throws Error with a sentence where it cannot be done; nothing is changed then
   */
  run(
    administration: Administration,
    operands: readonly string[],
    values: OptionValues,
    budgets?: Partial<Budgets>,
  ): Promise<string>;
};

/** A command that was not typed as the help says. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
