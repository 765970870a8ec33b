import { type Config, ConfigError } from './config.ts';
import { environmentSchema } from './environment.ts';
import { withSecretsFromFiles } from './secret-files.ts';

const databaseSchema = environmentSchema.pick({
  NODE_ENV: true,
  PUBLIC_URL: true,
  DATABASE_URL: true,
  DATABASE_MIGRATION_URL: true,
  DATA_DIR: true,
  RETAIN_DAYS: true,
});

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'dataDirectory' | 'retainDays'> & {
  publicUrl: string;
};

/**
 * Reads where the database is, how long it keeps conversations, and what links to the service begin with: a command of the operator's has no use for the
 * other variables.
 * @throws ConfigError as `loadConfig` does
 */
export function loadDatabaseSettings(environment: Record<string, string | undefined>): DatabaseSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { variables, complaints } = withSecretsFromFiles(given);
  if (complaints.length > 0) throw new ConfigError(complaints);
  const { data, error } = databaseSchema.safeParse(variables);
  if (error !== undefined) {
    throw new ConfigError(error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`));
  }
  if (data.NODE_ENV === 'production' && data.DATABASE_URL === undefined) {
    throw new ConfigError(['DATABASE_URL is needed in production: there is no embedded database there.']);
  }
  return {
    databaseUrl: data.DATABASE_URL,
    databaseMigrationUrl: data.DATABASE_MIGRATION_URL ?? data.DATABASE_URL,
    dataDirectory: data.DATA_DIR,
    retainDays: data.RETAIN_DAYS,
    publicUrl: data.PUBLIC_URL ?? `http://localhost:${variables.PORT ?? 3000}`,
  };
}
