import { readFileSync } from 'node:fs';
import { providerNames } from '../../shared/session.ts';
import type { Variables } from './environment.ts';
import { providerVariables } from './provider-variables.ts';

/** What each may be given in a file as well, by the name with `_FILE` appended. */
export const secretNames = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'REDIS_URL',
  'REDIS_SENTINELS',
  'REDIS_CLUSTER',
  'SESSION_SECRET',
  'ANTHROPIC_API_KEY',
  ...providerNames.map((name) => providerVariables[name].clientSecret),
] as const satisfies readonly (keyof Variables)[];

/** The variables with the secrets that were given in files, and a complaint about each that cannot be taken. */
export function withSecretsFromFiles(given: Variables & Record<string, string | undefined>) {
  const variables: Variables = { ...given };
  const complaints: string[] = [];
  for (const name of secretNames) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) {
      complaints.push(`${name} and ${name}_FILE say the same: set one of them.`);
      continue;
    }
    try {
      variables[name] = readFileSync(file, 'utf8').trimEnd();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
      complaints.push(`${name}_FILE names a file that cannot be read (${code}).`);
    }
  }
  return { variables, complaints };
}
