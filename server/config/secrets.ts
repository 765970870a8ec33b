import type { Config } from './config.ts';

/** The part of the configuration that holds secrets, as far as a program has read it. */
type Secrets = Partial<
  Pick<Config, 'databaseUrl' | 'databaseMigrationUrl' | 'redis' | 'sessionSecrets' | 'model' | 'providers'>
>;

const maxCharacters = 2_000;

/**
 * Why a part cannot be opened, as it may be printed: the error's words without a configured secret. A database adds the
 * row below its first line.
 */
export function printableReason(error: unknown, config: Secrets): string {
  const words = error instanceof Error ? error.message : String(error);
  const fromDatabase = error instanceof Error && 'severity' in error;
  return withoutSecrets(fromDatabase ? (words.split('\n')[0] ?? '') : words, config).slice(0, maxCharacters);
}

/** What refuses a password may quote it. */
export function withoutSecrets(text: string, config: Secrets): string {
  return secretsOf(config).reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

/** Every secret in each form in which it is known, longer ones first: one may be part of another. */
function secretsOf(config: Secrets) {
  const { databaseUrl, databaseMigrationUrl, redis, sessionSecrets = [], model, providers = {} } = config;
  const passwords = [...[databaseUrl, databaseMigrationUrl].flatMap(passwordsIn), ...redisPasswords(redis)];
  const keys = [model?.apiKey, ...sessionSecrets, ...Object.values(providers).map(({ clientSecret }) => clientSecret)];
  return [...new Set([...passwords, ...keys])]
    .filter((secret) => typeof secret === 'string')
    .filter((secret) => secret !== '')
    .toSorted((one, other) => other.length - one.length);
}

function redisPasswords(address: Config['redis']): (string | undefined)[] {
  switch (address?.kind) {
    case undefined:
      return [];
    case 'server':
      return passwordsIn(address.url);
    case 'sentinel':
      return [address.sentinels.password, address.sentinels.sentinelPassword].flatMap(written);
    case 'cluster':
      return written(address.nodes.password);
  }
}

/** As it is, and as it stood in the address. */
function written(password: string | undefined): string[] {
  return password === undefined ? [] : [password, encodeURIComponent(password)];
}

/** As it stands in the address, and decoded: `postgresql://user:password@host/name?password=password`. */
function passwordsIn(address = ''): string[] {
  return [/^\w+:\/\/[^/:@]*:(.*)@/, /[?&]password=([^&#]*)/]
    .map((form) => form.exec(address)?.[1])
    .filter((password) => password !== undefined)
    .flatMap((password) => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
