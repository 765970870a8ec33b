import process from 'node:process';
import { databaseUse, loadConfig } from './config/config.ts';
import { printableReason } from './config/secrets.ts';
import { migrateConfiguredDatabase } from './configured-database.ts';
import type { Migrated } from './database/database.ts';
import { createLogger } from './http/logger.ts';
import { printable } from './printable.ts';
import { stoppable } from './stoppable.ts';

/** `npm run migrate`: brings the schema up to date, as a start does unless it is told not to. */
let reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
try {
  const settings = loadConfig(process.env, databaseUse);
  reasonOf = (error) => `The schema cannot be brought up to date: ${printableReason(error, settings)}`;
  for (const sentence of sentencesOn(await stoppable(migrateConfiguredDatabase(settings, progress())))) {
    process.stdout.write(`${sentence}\n`);
  }
  // Without the production settings the command succeeds on a database that no server uses.
  if (settings.databaseUrl === undefined) {
    process.stdout.write(`This was the embedded database in ${settings.dataDirectory}. DATABASE_URL names a server.\n`);
  }
} catch (error) {
  process.stderr.write(`${printable(reasonOf(error))}\n`);
  process.exitCode = 1;
}

/** Says on the terminal what a migration waits for. */
function progress() {
  return createLogger({ level: 'info' }, { write: (line) => process.stderr.write(`${JSON.parse(line).msg}\n`) });
}

function sentencesOn({ applied, granted }: Migrated): string[] {
  return [
    applied.length === 0 ? 'The schema was up to date.' : `The schema is up to date. It lacked ${applied.join(', ')}.`,
    ...(granted === undefined ? [] : [`The login ${granted} has what it needs to serve.`]),
  ];
}
