import type { CommandSettings } from '../../../server/admin/command.ts';
import { readCommand } from '../../../server/admin/run.ts';
import type { Administration } from '../../../server/database/administration.ts';
import { collected } from '../../support/collected.ts';

/** What a command prints that was typed in these words. */
export async function typed(
  administration: Administration,
  words: readonly string[],
  settings: Partial<CommandSettings> = {},
): Promise<string> {
  const read = readCommand(words);
  if (read === null) throw new Error('The help was asked for.');
  const given = { publicUrl: 'https://chat.example.com', ...settings };
  const answer = read.command.run(administration, read.operands, read.values, given);
  return answer instanceof Promise ? answer : (await collected(answer)).join('');
}
