import { userInfo } from 'node:os';
import process from 'node:process';
import { databaseVariables, loadConfig } from '../config/config.ts';
import { createLogger } from '../http/logger.ts';
import { printableText } from '../process/printable.ts';
import { OutputClosedError, print } from '../process/standard-output.ts';
import { openConfiguredAdministration } from '../startup/configured-database.ts';
import { type OutputWithNotice, UsageError } from './command.ts';
import { helpText, type ParsedCommand, parseCommand, usageFor } from './command-line.ts';

try {
  const parsed = parseCommand(process.argv.slice(2));
  if (parsed === null) await print(helpText());
  else await run(parsed);
} catch (error) {
  if (!(error instanceof OutputClosedError)) printError(error);
}

function printError(error: unknown): void {
  const sentence = printableText(error instanceof Error ? error.message : String(error));
  const isUsageError = error instanceof UsageError;
  // Prints the message after the usage, so that it is not scrolled off the screen.
  process.stderr.write(isUsageError ? `${usageFor(process.argv.slice(2))}\n${sentence}\n` : `${sentence}\n`);
  process.exitCode = isUsageError ? 2 : 1;
}

async function run({ command, operands, values }: ParsedCommand): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const logger = createLogger({ level: 'silent' });
  const config = loadConfig(process.env, {
    ...databaseVariables,
    optional: ['PUBLIC_URL', 'PORT', 'RETAIN_DAYS', 'TOKENS_PER_DAY_USER', 'TOKENS_PER_DAY_ORGANIZATION'],
  });
  const { databaseUrl, retainDays, tokensPerDay: budgets, publicUrl = `http://localhost:${config.port}` } = config;
  const administration = await openConfiguredAdministration(config, opened, logger, operatorName());
  const answer = command.run(administration, operands, values, { publicUrl, databaseUrl, budgets, retainDays });
  if (answer instanceof Promise) await printAnswer(await answer);
  else for await (const text of answer) await print(text);
}

async function printAnswer(answer: string | OutputWithNotice): Promise<void> {
  const { text, notice } = typeof answer === 'string' ? { text: answer, notice: undefined } : answer;
  await print(`${text}\n`);
  if (notice !== undefined) process.stderr.write(`${printableText(notice)}\n`);
}

/** The user of a container may have no name. */
function operatorName(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    return 'operator';
  }
}
