import { parseArgs } from 'node:util';
import { defaultLimit } from '../database/operators/directory.ts';
import { type Command, type OptionValues, options, UsageError } from './command.ts';
import { commands } from './commands.ts';

export type ParsedCommand = { command: Command; operands: readonly string[]; values: OptionValues };

/** Returns null for a request for help. @throws UsageError */
export function parseCommand(words: readonly string[]): ParsedCommand | null {
  const { values, positionals } = parse(words);
  const [name, ...operands] = positionals;
  if (values.help || name === 'help') return null;
  if (name === undefined) throw new UsageError('No command given.');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command: ${name}.`);
  if (operands.length !== command.operands.length) {
    const expected = command.operands.map((operand) => `<${operand}>`).join(' ') || 'no arguments';
    throw new UsageError(`${name} expects ${expected}.`);
  }
  const options = Object.keys(values);
  const unknown = options.find((option) => !command.options.some((known) => known === option));
  if (unknown !== undefined) throw new UsageError(`${name} does not accept --${unknown}.`);
  if (command.needsOption && options.length === 0) {
    throw new UsageError(`${name} requires ${command.options.map((option) => `--${option}`).join(' or ')}.`);
  }
  if (command.needsConfirmation && !values.yes) throw new UsageError(`${name} requires --yes.`);
  return { command, operands, values };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

export function usageFor(words: readonly string[]): string {
  const entry = Object.entries(commands).find(([name]) => words.includes(name));
  if (entry !== undefined) return `Usage:\n\n${commandHelp(entry)}\n`;
  return `Commands (see --help): ${Object.keys(commands).join(', ')}\n`;
}

function commandHelp([name, { operands, options: own, help }]: [string, Command]): string {
  const optional = own.map((option) => `[--${option}${options[option].type === 'string' ? ' <value>' : ''}]`);
  const line = [name, ...operands.map((operand) => `<${operand}>`), ...optional];
  return [`  ${line.join(' ')}`, ...help.split('\n').map((text) => `      ${text}`)].join('\n');
}

export function helpText(): string {
  const entries = Object.entries(commands).map(commandHelp);
  return `Usage: npm run admin -- <command> …     in a container: node server/admin/main.ts <command> …

${entries.join('\n\n')}

Use list-users, find-user and list-organizations to look up ids. Lists print at most ${defaultLimit.toLocaleString('en')} rows, and a notice on standard
error if there are more. --limit changes the maximum, --after continues after the row with that id, and --json prints an array.

The commands use the database in DATABASE_URL, or else the embedded one in DATA_DIR. Stop the server before you use the
embedded database. Every command that succeeds is recorded in the audit trail.

Exit codes: 0 success, 1 failure, 2 invalid usage. After a failure, only prune, delete-user and delete-organization may have made
changes: run the command again.
`;
}
