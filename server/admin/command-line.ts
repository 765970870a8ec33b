import { parseArgs } from 'node:util';
import { defaultLimit } from '../database/directory.ts';
import { type Command, type OptionValues, options, UsageError } from './command.ts';
import { commands } from './commands.ts';

export type Typed = { command: Command; operands: readonly string[]; values: OptionValues };

/**
 * Reads the words of a command line; null where they ask for help.
 * @throws UsageError with what is wrong with them
 */
export function readCommand(words: readonly string[]): Typed | null {
  const { values, positionals } = parse(words);
  const [name, ...operands] = positionals;
  if (values.help || name === 'help') return null;
  if (name === undefined) throw new UsageError('A command is missing.');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}.`);
  if (operands.length !== command.operands.length) {
    const wanted = command.operands.map((operand) => `<${operand}>`).join(' ') || 'nothing';
    throw new UsageError(`${name} takes ${wanted} after it.`);
  }
  const given = Object.keys(values);
  const foreign = given.find((option) => !command.options.some((known) => known === option));
  if (foreign !== undefined) throw new UsageError(`${name} takes no --${foreign}.`);
  if (command.needsOption && given.length === 0) {
    throw new UsageError(`${name} needs ${command.options.map((option) => `--${option}`).join(', or ')}.`);
  }
  if (command.needsConfirmation && !values.yes) throw new UsageError(`${name} needs --yes.`);
  return { command, operands, values };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The usage of the first command in `words`, or else the names of all commands. */
export function usageFor(words: readonly string[]): string {
  const entry = Object.entries(commands).find(([name]) => words.includes(name));
  if (entry !== undefined) return `Usage:\n\n${commandHelp(entry)}\n`;
  return `Commands (--help describes them): ${Object.keys(commands).join(', ')}\n`;
}

function commandHelp([name, { operands, options, help }]: [string, Command]): string {
  const line = [name, ...operands.map((operand) => `<${operand}>`), ...options.map((option) => `[--${option}]`)];
  return [`  ${line.join(' ')}`, ...help.split('\n').map((text) => `      ${text}`)].join('\n');
}

/** Describes every command. */
export function helpText(): string {
  const entries = Object.entries(commands).map(commandHelp);
  return `Usage: npm run admin -- <command> …     in a container: node server/admin/main.ts <command> …

${entries.join('\n\n')}

list-users and list-organizations show the ids that the other commands take; find-user finds one. A list has
at most ${defaultLimit.toLocaleString('en')} rows unless --limit says otherwise, and a notice on standard error says when there are more; --after
is the id of the row after which to begin. --json gives an array.
The database is the one that DATABASE_URL names, else the embedded one in DATA_DIR (stop the server first: it has that
one to itself). Every command leaves a line of the trail.
Exit codes: 0 done, 1 failed and nothing changed, 2 not typed as above.
`;
}
