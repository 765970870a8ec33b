import type { CommandSettings } from '../../../server/admin/command.ts';
import { parseCommand } from '../../../server/admin/command-line.ts';
import type { Administration } from '../../../server/database/operators/administration.ts';
import { collect } from '../../support/collect.ts';

export async function runForText(...parameters: Parameters<typeof runCommandLine>): Promise<string> {
  return (await runCommandLine(...parameters)).text;
}

export async function runCommandLine(
  administration: Administration,
  words: readonly string[],
  settings: Partial<CommandSettings> = {},
): Promise<{ text: string; notice?: string }> {
  const read = parseCommand(words);
  if (read === null) throw new Error('parseCommand returned the help.');
  const mergedSettings = {
    publicUrl: 'https://chat.example.com',
    databaseUrl: undefined,
    budgets: { user: undefined, organization: undefined },
    retainDays: undefined,
    ...settings,
  };
  const answer = read.command.run(administration, read.operands, read.values, mergedSettings);
  if (!(answer instanceof Promise)) return { text: (await collect(answer)).join('') };
  const printed = await answer;
  return typeof printed === 'string' ? { text: printed } : printed;
}
