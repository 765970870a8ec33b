// Without this import, the command would ignore SIGTERM as process 1 of a container, and a migration can take long.
import './process/stop-signals.ts';

import process from 'node:process';
import { databaseVariables, loadConfig } from './config/config.ts';
import { printableReason } from './config/secrets.ts';
import type { MigrationResult } from './database/database.ts';
import { createLogger } from './http/logger.ts';
import { readOptions } from './process/options.ts';
import { printableText } from './process/printable.ts';
import { migrateConfiguredDatabase } from './startup/configured-database.ts';

/** `npm run migrate`: migrates the schema, as startup does unless `MIGRATE` is `false`. */
readOptions({});
let reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
try {
  const settings = loadConfig(process.env, databaseVariables);
  reasonOf = (error) => `The migration failed: ${printableReason(error, settings)}`;
  for (const sentence of summarize(await migrateConfiguredDatabase(settings, progress()))) {
    process.stdout.write(`${sentence}\n`);
  }
  // Tells an operator that the command has not read the settings of production.
  if (settings.databaseUrl === undefined) {
    process.stdout.write(
      `Migrated the embedded database in ${settings.dataDirectory}. Set DATABASE_URL to migrate a PostgreSQL server.\n`,
    );
  }
} catch (error) {
  process.stderr.write(`${printableText(reasonOf(error))}\n`);
  process.exitCode = 1;
}

function progress() {
  return createLogger({ level: 'info' }, { write: (line) => process.stderr.write(`${JSON.parse(line).msg}\n`) });
}

function summarize({ applied, grantee }: MigrationResult): string[] {
  return [
    applied.length === 0 ? 'The schema is already up to date.' : `Applied ${applied.join(', ')}.`,
    ...(grantee === undefined ? [] : [`Granted the privileges for serving requests to the login ${grantee}.`]),
  ];
}
