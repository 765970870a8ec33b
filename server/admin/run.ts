import { userInfo } from 'node:os';
import process from 'node:process';
import { databaseUse, loadConfig } from '../config/config.ts';
import { openConfiguredAdministration } from '../configured-database.ts';
import { createLogger } from '../http/process/logger.ts';
import { print, ReaderGoneError } from '../standard-output.ts';
import { UsageError } from './command.ts';
import { helpText } from './help.ts';
import { readCommand, type Typed } from './read-command.ts';

try {
  const typed = readCommand(process.argv.slice(2));
  if (typed === null) await print(helpText());
  else await run(typed);
} catch (error) {
  if (!(error instanceof ReaderGoneError)) complain(error);
}

function complain(error: unknown): void {
  const sentence = error instanceof Error ? error.message : String(error);
  const misused = error instanceof UsageError;
  process.stderr.write(misused ? `${sentence}\n\n${helpText()}` : `${sentence}\n`);
  process.exitCode = misused ? 2 : 1;
}

async function run({ command, operands, values }: Typed): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const logger = createLogger({ level: 'silent' });
  const config = loadConfig(process.env, {
    ...databaseUse,
    read: ['PUBLIC_URL', 'PORT', 'RETAIN_DAYS', 'TOKENS_PER_DAY_USER', 'TOKENS_PER_DAY_ORGANIZATION'],
  });
  const { databaseUrl, retainDays, tokensPerDay: budgets, publicUrl = `http://localhost:${config.port}` } = config;
  const administration = await openConfiguredAdministration(config, opened, logger, operatorName());
  const answer = command.run(administration, operands, values, { publicUrl, databaseUrl, budgets, retainDays });
  if (answer instanceof Promise) await print(`${await answer}\n`);
  else for await (const text of answer) await print(text);
}

/** Who types this, as the machine knows them; a container's user may have no name. */
function operatorName(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    return 'operator';
  }
}
