import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Administration } from '../database/administration.ts';
import type { Budgets } from '../database/turns.ts';

/** Every option that some command takes. */
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
  /** The names of what has to follow the command, in order. */
  operands: readonly string[];
  options: readonly (keyof OptionValues)[];
  /** Whether it makes no sense without any of them. */
  needsOption?: boolean;
  /** Whether it wants --yes, because it cannot be undone. */
  needsConfirmation?: boolean;
  /** What it does, in a line or more. */
  help: string;
  /**
   * Runs it and returns what is to be printed: a text, a text with a notice, or an export of any length in pieces.
   * @throws Error with a sentence where it cannot be done; nothing is changed then
   */
  run(
    administration: Administration,
    operands: readonly string[],
    values: OptionValues,
    settings: CommandSettings,
  ): Promise<string | Noticed> | AsyncIterable<string>;
};

/** The notice is printed on standard error, so that a program can read the text. */
export type Noticed = { text: string; notice: string };

/** What the environment says that a command has use for. */
export type CommandSettings = {
  /** What links begin with. */
  publicUrl: string;
  /** Undefined where the database is the embedded one. */
  databaseUrl?: string | undefined;
  /** The day's tokens of a person and of an organization. */
  budgets?: Partial<Budgets>;
  /** Undefined where conversations are kept for ever. */
  retainDays?: number | undefined;
};

/** A command that was not typed as the help says. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
