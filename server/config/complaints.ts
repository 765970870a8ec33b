import { providerNames } from '../../shared/session.ts';
import type { Variables } from './environment.ts';
import { providerVariables } from './provider-variables.ts';

/** What does not go together, in any environment. */
export function contradictions(variables: Variables): string[] {
  const pairs = [
    ...providerNames.map((name) => [providerVariables[name].clientId, providerVariables[name].clientSecret] as const),
    ['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const,
    ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME'] as const,
  ];
  const halves = pairs
    .filter(([one, other]) => (variables[one] === undefined) !== (variables[other] === undefined))
    .map(([one, other]) => `${one} and ${other} go together: set both or neither.`);
  const withoutServer = variables.DATABASE_MIGRATION_URL !== undefined && variables.DATABASE_URL === undefined;
  const placesOfRedis = redisVariables.filter((name) => variables[name] !== undefined);
  return [
    ...halves,
    ...(withoutServer ? ['DATABASE_MIGRATION_URL needs DATABASE_URL beside it: the login that serves.'] : []),
    ...(placesOfRedis.length > 1 ? [`${placesOfRedis.join(' and ')} each say where Redis is: set one of them.`] : []),
  ];
}

const redisVariables = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

/** What production asks for beyond that: nothing embedded, and HTTPS only. */
export function productionComplaints(variables: Variables): string[] {
  const missing = (name: keyof Variables) => variables[name] === undefined;
  const providers = providerNames.map((name) => providerVariables[name]);
  const complaints: [boolean, string][] = [
    [missing('PUBLIC_URL'), 'PUBLIC_URL is needed in production: the https:// address that people use.'],
    [variables.PUBLIC_URL?.startsWith('http://') ?? false, 'PUBLIC_URL must be an https:// address in production.'],
    [missing('DATABASE_URL'), 'DATABASE_URL is needed in production: a PostgreSQL server.'],
    [
      redisVariables.every(missing),
      'REDIS_URL is needed in production (or REDIS_SENTINELS, or REDIS_CLUSTER): the rate-limit counts that instances share.',
    ],
    [missing('SESSION_SECRET'), 'SESSION_SECRET is needed in production: at least 32 random characters.'],
    [
      missing('ANTHROPIC_API_KEY') && missing('ANTHROPIC_BASE_URL'),
      'ANTHROPIC_API_KEY is needed in production (or ANTHROPIC_BASE_URL, for a compatible server).',
    ],
    [
      providers.every(({ clientId, clientSecret }) => missing(clientId) || missing(clientSecret)),
      `At least one sign-in provider is needed in production: ${providers
        .map(({ clientId, clientSecret }) => `${clientId} and ${clientSecret}`)
        .join(', or ')}.`,
    ],
    ...providers.map(({ baseUrl }): [boolean, string] => [
      !missing(baseUrl),
      `${baseUrl} points sign-in at an emulator: it is refused in production.`,
    ]),
    [
      variables.TRUST_PROXY !== 'true' && missing('TLS_CERT_FILE') && missing('TLS_KEY_FILE'),
      'Production serves HTTPS only: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true where a proxy in front ends TLS.',
    ],
  ];
  return complaints.filter(([applies]) => applies).map(([, complaint]) => complaint);
}
