import { parseArgs } from 'node:util';
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
