import { readFileSync } from 'node:fs';
import { limits } from '../../shared/interface.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import type { RedisAddress } from '../redis/address.ts';
import {
  type Environment,
  environmentSchema,
  secretNames,
  settings,
  type VariableName,
  type Variables,
  variablesOf,
} from './environment.ts';
import { secretsIn } from './secrets.ts';

export type Config = ReturnType<typeof loadConfig>;

/** Every complaint about the environment at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.complaints = complaints;
  }
}

/** The variables that a program has use for: production must have those that it needs, and it reads the others where they are set. */
export type Use = { need: readonly VariableName[]; read?: readonly VariableName[] };

/** What a program needs that works on the database alone. */
export const databaseUse = {
  need: ['NODE_ENV', 'DATABASE_URL', 'DATABASE_MIGRATION_URL', 'DATA_DIR'],
} as const satisfies Use;

const everything: Use = { need: settings.map(({ name }) => name) };

/**
 * Reads the settings from the environment, once; nothing else reads one. A variable that is not in `use` counts as not set.
 * @throws ConfigError that lists every missing, malformed or weak variable in a sentence of its own
 */
export function loadConfig(environment: Record<string, string | undefined>, { need, read = [] }: Use = everything) {
  const used = new Set<string>([...need, ...read].flatMap((name) => [name, `${name}_FILE`]));
  // An empty variable is how compose files and shells say "not set".
  const given: Variables = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => used.has(name) && value !== undefined && value !== ''),
  );
  const { variables, complaints: unread } = withSecretsFromFiles(given);
  const parsed = environmentSchema.safeParse(variables);
  const complaints = [
    ...unread,
    ...(parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}.`) ?? []),
    ...contradictions(variables),
    ...(variables.NODE_ENV === 'production' ? productionComplaints(variables, need) : []),
  ];
  if (!parsed.success || complaints.length > 0) throw new ConfigError(complaints);
  return {
    ...toConfig(parsed.data),
    /** What nothing may print. */
    secrets: secretsIn(variables),
  };
}

/** The variables with the secrets that were given in files, and a complaint about each that cannot be taken. */
function withSecretsFromFiles(given: Variables & Record<string, string | undefined>) {
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

/** What does not go together, in any environment. */
function contradictions(variables: Variables): string[] {
  const pairs = [
    ...providerNames.map(variablesOf).map(({ clientId, clientSecret }) => [clientId, clientSecret] as const),
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

/** What production asks for: of each variable by itself, as its row in the schema says, and of several together. */
function productionComplaints(variables: Variables, need: readonly VariableName[]): string[] {
  const missing = (name: VariableName) => variables[name] === undefined;
  const alone = settings
    .filter(({ name }) => need.includes(name))
    .flatMap(({ name, production }) => {
      if (production === undefined) return [];
      if ('refused' in production) {
        return missing(name) ? [] : [`${name} ${production.refused}: it is refused in production.`];
      }
      if (missing(name)) return [`${name} is needed in production: ${production.needed}.`];
      return production.refuses?.test(variables[name] ?? '') ? [`${name} must ${production.must} in production.`] : [];
    });
  const pairs = providerNames.map(variablesOf);
  /** Each stands for the variables that are complained about together. */
  const together: [VariableName, boolean, string][] = [
    [
      'REDIS_URL',
      redisVariables.every(missing),
      'REDIS_URL is needed in production (or REDIS_SENTINELS, or REDIS_CLUSTER): the rate-limit counts that instances share.',
    ],
    [
      'ANTHROPIC_API_KEY',
      missing('ANTHROPIC_API_KEY') && missing('ANTHROPIC_BASE_URL'),
      'ANTHROPIC_API_KEY is needed in production (or ANTHROPIC_BASE_URL, for a compatible server).',
    ],
    [
      'GOOGLE_CLIENT_ID',
      pairs.every(({ clientId, clientSecret }) => missing(clientId) || missing(clientSecret)),
      `At least one sign-in provider is needed in production: ${pairs
        .map(({ clientId, clientSecret }) => `${clientId} and ${clientSecret}`)
        .join(', or ')}.`,
    ],
    [
      'TRUST_PROXY',
      variables.TRUST_PROXY !== 'true' && missing('TLS_CERT_FILE') && missing('TLS_KEY_FILE'),
      'Production serves HTTPS only: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=true where a proxy in front ends TLS.',
    ],
  ];
  return [...alone, ...together.filter(([name, applies]) => applies && need.includes(name)).map(([, , text]) => text)];
}

function toConfig(environment: Environment) {
  const { DATABASE_URL, DATA_DIR, METRICS_HOST, METRICS_PORT, TLS_CERT_FILE, TLS_KEY_FILE } = environment;
  const production = environment.NODE_ENV === 'production';
  const domains: readonly string[] = environment.SIGN_UP_DOMAINS ?? [];
  const tls = TLS_CERT_FILE && TLS_KEY_FILE ? { certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE } : undefined;
  return {
    production,
    host: environment.HOST,
    port: environment.PORT,
    /** Without a trailing slash; undefined means http://localhost with the port that is listened on. */
    publicUrl: environment.PUBLIC_URL,
    /** PostgreSQL's address; undefined means the embedded database in `dataDirectory`. */
    databaseUrl: DATABASE_URL,
    /** The owner's address, for migrations and the operator's commands; without one, `databaseUrl` is the owner's. */
    databaseMigrationUrl: environment.DATABASE_MIGRATION_URL ?? DATABASE_URL,
    /** The most connections to PostgreSQL at once. */
    databasePool: environment.DATABASE_POOL,
    /** Whether the start brings the schema up to date; otherwise it refuses one that is too old. */
    migrateAtStart: environment.MIGRATE,
    dataDirectory: DATA_DIR,
    /** Where the shared counts are; undefined means in this process. */
    redis: redisAddress(environment),
    /** The first signs, all verify; undefined means one that is generated and kept in `dataDirectory`. */
    sessionSecrets: environment.SESSION_SECRET,
    /** Neither key nor base URL means the offline stand-in. */
    model: {
      apiKey: environment.ANTHROPIC_API_KEY,
      baseUrl: environment.ANTHROPIC_BASE_URL,
      name: environment.ANTHROPIC_MODEL,
    },
    /** Tokens in any trailing 24 hours, of one person, of one organization and of all of demo chat; undefined means any number. */
    tokensPerDay: {
      user: environment.TOKENS_PER_DAY_USER,
      organization: environment.TOKENS_PER_DAY_ORGANIZATION,
      demo: environment.TOKENS_PER_DAY_DEMO,
    },
    /** Who may sign up: anybody, or people with an invitation or with a verified address in one of `domains`. */
    signUp: {
      mode: environment.SIGN_UP ?? (production ? 'invited' : 'open'),
      domains,
    },
    /** The one Microsoft directory whose accounts may sign in, and whose e-mail addresses are believed. */
    microsoftTenant: environment.MICROSOFT_TENANT,
    /** The configured sign-in providers; outside production the others are emulated. */
    providers: configuredProviders(environment),
    tls,
    trustProxy: environment.TRUST_PROXY,
    /** Whether clients connect to this process itself: it ends TLS, and there is no proxy in front. */
    edge: tls !== undefined && !environment.TRUST_PROXY,
    modelIdleTimeoutMilliseconds: environment.MODEL_IDLE_TIMEOUT_MS,
    shutdownDelayMilliseconds: environment.SHUTDOWN_DELAY_MS,
    shutdownGraceMilliseconds: environment.SHUTDOWN_GRACE_MS,
    maxBodyBytes: environment.MAX_BODY_BYTES,
    /** Elements of `messages`, and content blocks in all of them together. */
    maxMessages: environment.MAX_MESSAGES,
    /** Turns under way in this process: in all, of one person, and of demo chat. */
    maxStreams: environment.MAX_STREAMS,
    maxStreamsPerUser: environment.MAX_STREAMS_PER_USER,
    maxStreamsDemo: environment.MAX_STREAMS_DEMO ?? Math.ceil(environment.MAX_STREAMS / 2),
    /** Conversations whose last message is older are deleted; undefined means that they are kept for ever. */
    retainDays: environment.RETAIN_DAYS,
    /** Where the metrics are served; undefined means nowhere. */
    metrics: METRICS_PORT === undefined ? undefined : { host: METRICS_HOST, port: METRICS_PORT },
    /** OpenTelemetry's collector; undefined means that there are no traces. */
    tracesEndpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: environment.LOG_LEVEL,
    limits,
  };
}

function redisAddress(environment: Environment): RedisAddress | undefined {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name, REDIS_CLUSTER: nodes } = environment;
  if (nodes !== undefined) return { kind: 'cluster', nodes };
  if (sentinels !== undefined && name !== undefined) return { kind: 'sentinel', sentinels, name };
  return url === undefined ? undefined : { kind: 'server', url };
}

function configuredProviders(environment: Environment) {
  const configured: Partial<Record<ProviderName, { clientId: string; clientSecret: string; baseUrl?: string }>> = {};
  for (const name of providerNames) {
    const variables = variablesOf(name);
    const baseUrl = environment[variables.baseUrl];
    // An emulator takes any client.
    const clientId = environment[variables.clientId] ?? (baseUrl && 'advisory-chat');
    const clientSecret = environment[variables.clientSecret] ?? (baseUrl && 'emulated');
    if (clientId && clientSecret) configured[name] = { clientId, clientSecret, ...(baseUrl && { baseUrl }) };
  }
  return configured;
}
