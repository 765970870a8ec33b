import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Administration } from '../database/operators/administration.ts';
import type { Budgets } from '../database/serving/turns.ts';

export const options = {
  json: { type: 'boolean' },
  limit: { type: 'string' },
  after: { type: 'string' },
  week: { type: 'string' },
  focus: { type: 'string' },
  hypotheses: { type: 'string' },
  unknowns: { type: 'string' },
  findings: { type: 'string' },
  file: { type: 'string' },
  organization: { type: 'string' },
  days: { type: 'string' },
  note: { type: 'string' },
  name: { type: 'string' },
  industry: { type: 'string' },
  size: { type: 'string' },
  block: { type: 'boolean' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

export type Command = {
  operands: readonly string[];
  options: readonly (keyof OptionValues)[];
  needsOption?: boolean;
  /** Whether `--yes` is required, because the command cannot be undone. */
  needsConfirmation?: boolean;
  help: string;
  /**
   * Returns the output: a string, a string with a notice, or the chunks of an export.
   * @throws Error with a message for the operator. Only `prune` and deletions may have made changes before it.
   */
  run(
    administration: Administration,
    operands: readonly string[],
    values: OptionValues,
    settings: CommandSettings,
  ): Promise<string | OutputWithNotice> | AsyncIterable<string>;
};

/** The notice is printed on standard error, so that a program can read the text. */
export type OutputWithNotice = { text: string; notice: string };

export type CommandSettings = {
  publicUrl: string;
  /** The address of PostgreSQL; undefined for the embedded database. */
  databaseUrl: string | undefined;
  budgets: Budgets;
  /** RETAIN_DAYS; undefined if conversations are retained indefinitely. */
  retainDays: number | undefined;
};

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
