import { readFileSync } from 'node:fs';
import { limits } from '../../shared/route-table.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import type { RedisAddress } from '../redis/redis-address.ts';
import {
  type Environment,
  environmentSchema,
  type ProviderVariable,
  secretNames,
  settings,
  type VariableName,
  type Variables,
  variablesOf,
} from './environment.ts';
import { secretsIn } from './secrets.ts';

export type Config = ReturnType<typeof loadConfig>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The variables that a program reads. In production, startup checks only the `required` ones for missing or weak values. */
type UsedVariables = { required: readonly VariableName[]; optional?: readonly VariableName[] };

export const databaseVariables = {
  required: ['NODE_ENV', 'DATABASE_URL', 'DATABASE_MIGRATION_URL', 'DATA_DIR'],
} as const satisfies UsedVariables;

const allVariables: UsedVariables = { required: settings.map(({ name }) => name) };

/**
 * Reads the configuration from environment variables, which no other module of the server does. Variables that the program does
 * not use are ignored, except those of a removed feature, which are reported.
 * @throws ConfigError with one sentence for each problem
 */
export function loadConfig(
  environment: Record<string, string | undefined>,
  { required, optional = [] }: UsedVariables = allVariables,
) {
  const used = new Set<string>([...required, ...optional].flatMap((name) => [name, `${name}_FILE`]));
  // Compose files and shells set a variable to the empty string to unset it.
  const nonEmpty: Variables = Object.fromEntries(
    Object.entries(withLowerCaseProxies(environment)).filter(
      ([name, value]) => used.has(name) && value !== undefined && value !== '',
    ),
  );
  const { variables, problems: fileProblems } = withSecretsFromFiles(nonEmpty);
  const parsed = environmentSchema.safeParse(variables);
  const problems = [
    ...fileProblems,
    ...(parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}.`) ?? []),
    ...conflictProblems(variables),
    ...(used.has('TRUST_PROXY') ? removedSettingProblems(environment) : []),
    ...(variables.NODE_ENV === 'production' ? productionProblems(variables, required) : []),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return {
    ...toConfig(parsed.data),
    /** These must never be printed. */
    secrets: secretsIn(variables),
  };
}

/** Other programs read these variables in lower case first. */
function withLowerCaseProxies(environment: Record<string, string | undefined>) {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];
  const lowerCase = names.map((name) => [name, environment[name.toLowerCase()]] as const).filter(([, value]) => value);
  return { ...environment, ...Object.fromEntries(lowerCase) };
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function withSecretsFromFiles(environment: Variables & Record<string, string | undefined>) {
  const variables: Variables = { ...environment };
  const problems: string[] = [];
  for (const name of secretNames) {
    const file = environment[`${name}_FILE`];
    if (file === undefined) continue;
    if (environment[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are mutually exclusive: set only one of them.`);
      continue;
    }
    try {
      variables[name] = utf8.decode(readFileSync(file)).trimEnd();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
      const problem = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read (${code})`;
      problems.push(`${name}_FILE names a file that ${problem}.`);
    }
  }
  return { variables, problems };
}

function conflictProblems(variables: Variables): string[] {
  const pairs = [
    ...providerNames.map(variablesOf).map(({ clientId, clientSecret }) => [clientId, clientSecret] as const),
    ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME'] as const,
  ];
  const incompletePairs = pairs
    .filter(([one, other]) => (variables[one] === undefined) !== (variables[other] === undefined))
    .map(([one, other]) => `${one} and ${other} must be set together: set both or neither.`);
  const lacksDatabaseUrl = variables.DATABASE_MIGRATION_URL !== undefined && variables.DATABASE_URL === undefined;
  const redisAddresses = redisVariables.filter((name) => variables[name] !== undefined);
  return [
    ...incompletePairs,
    ...(lacksDatabaseUrl ? ['DATABASE_MIGRATION_URL requires DATABASE_URL, the login that serves requests.'] : []),
    ...(redisAddresses.length > 1
      ? [`${redisAddresses.join(' and ')} are mutually exclusive: set only one of them.`]
      : []),
  ];
}

/** If these were ignored, the process would serve plain HTTP where its operator expects HTTPS. */
function removedSettingProblems(environment: Record<string, string | undefined>): string[] {
  return ['TLS_CERT_FILE', 'TLS_KEY_FILE']
    .filter((name) => environment[name])
    .map((name) => `${name} is not supported: a proxy in front must terminate TLS.`);
}

const redisVariables = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER'] as const;

function productionProblems(variables: Variables, required: readonly VariableName[]): string[] {
  const isMissing = (name: VariableName) => variables[name] === undefined;
  const ofSingleVariables = settings
    .filter(({ name }) => required.includes(name))
    .flatMap(({ name, production }) => {
      if (production === undefined) return [];
      if ('forbidden' in production) {
        return isMissing(name) ? [] : [`${name} ${production.forbidden}: it is not allowed in production.`];
      }
      if (isMissing(name)) return [`${name} is required in production: ${production.required}.`];
      return production.rejects?.test(variables[name] ?? '') ? [`${name} must ${production.must} in production.`] : [];
    });
  const pairs = providerNames.map(variablesOf);
  /** A rule applies to the programs that require its first variable. */
  const ofSeveralVariables: [VariableName, boolean, string][] = [
    [
      'REDIS_URL',
      redisVariables.every(isMissing),
      'REDIS_URL (or REDIS_SENTINELS or REDIS_CLUSTER) is required in production, for rate-limit counts that all instances share.',
    ],
    [
      'ANTHROPIC_API_KEY',
      isMissing('ANTHROPIC_API_KEY') && isMissing('ANTHROPIC_BASE_URL'),
      'ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL, for a server that is compatible with the Anthropic API) is required in production.',
    ],
    [
      'GOOGLE_CLIENT_ID',
      pairs.every(({ clientId, clientSecret }) => isMissing(clientId) || isMissing(clientSecret)),
      `At least one sign-in provider is required in production: ${pairs
        .map(({ clientId, clientSecret }) => `${clientId} and ${clientSecret}`)
        .join(', or ')}.`,
    ],
  ];
  return [
    ...ofSingleVariables,
    ...ofSeveralVariables.filter(([name, fails]) => fails && required.includes(name)).map(([, , problem]) => problem),
  ];
}

type RedisVariable = 'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_NAME' | 'REDIS_CLUSTER';

function toConfig(environment: Environment) {
  const {
    ANTHROPIC_API_KEY,
    ANTHROPIC_BASE_URL,
    ANTHROPIC_MODEL,
    DATABASE_MIGRATION_URL,
    DATABASE_POOL,
    DATABASE_URL,
    DATA_DIR,
    HOST,
    HTTPS_PROXY,
    HTTP_PROXY,
    LOG_LEVEL,
    MAX_BODY_BYTES,
    MAX_STREAMS,
    METRICS_HOST,
    METRICS_PORT,
    MICROSOFT_TENANT,
    MIGRATE,
    MODEL_IDLE_TIMEOUT_MS,
    NODE_ENV,
    NO_PROXY,
    OTEL_EXPORTER_OTLP_ENDPOINT,
    PORT,
    PUBLIC_URL,
    REDIS_CLUSTER,
    REDIS_SENTINELS,
    REDIS_SENTINEL_NAME,
    REDIS_URL,
    RETAIN_DAYS,
    SESSION_SECRET,
    SHUTDOWN_DELAY_MS,
    SHUTDOWN_GRACE_MS,
    SIGN_UP,
    SIGN_UP_DOMAINS,
    TOKENS_PER_DAY_DEMO,
    TOKENS_PER_DAY_ORGANIZATION,
    TOKENS_PER_DAY_USER,
    TRUST_PROXY,
    ...providerVariables
  } = environment;
  // Does not compile if a variable is missing above.
  ({}) satisfies Record<Exclude<keyof typeof providerVariables, ProviderVariable>, never>;
  const production = NODE_ENV === 'production';
  const domains: readonly string[] = SIGN_UP_DOMAINS ?? [];
  return {
    production,
    host: HOST,
    port: PORT,
    /** Has no trailing slash. Undefined means http://localhost and the listening port. */
    publicUrl: PUBLIC_URL,
    databaseUrl: DATABASE_URL,
    databaseMigrationUrl: DATABASE_MIGRATION_URL ?? DATABASE_URL,
    databasePool: DATABASE_POOL,
    migrateAtStart: MIGRATE,
    dataDirectory: DATA_DIR,
    redis: redisAddress({ REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_NAME, REDIS_CLUSTER }),
    /** The first secret signs, and all of them verify. Undefined means a secret that is generated and stored in `dataDirectory`. */
    sessionSecrets: SESSION_SECRET,
    /** The model provider. The offline stand-in replaces it if there is neither a key nor a base URL. */
    model: {
      apiKey: ANTHROPIC_API_KEY,
      baseUrl: ANTHROPIC_BASE_URL,
      name: ANTHROPIC_MODEL,
    },
    /** Token budgets for any trailing 24 hours; undefined means unlimited. `demo` applies to all visitors together. */
    tokensPerDay: {
      user: TOKENS_PER_DAY_USER,
      organization: TOKENS_PER_DAY_ORGANIZATION,
      demo: TOKENS_PER_DAY_DEMO,
    },
    signUp: {
      mode: SIGN_UP ?? (production ? 'invited' : 'open'),
      domains,
    },
    microsoftTenant: MICROSOFT_TENANT,
    /** Outside production, the providers that are not configured are emulated. */
    providers: configuredProviders(providerVariables),
    trustProxy: TRUST_PROXY,
    modelIdleTimeoutMilliseconds: MODEL_IDLE_TIMEOUT_MS,
    shutdownDelayMilliseconds: SHUTDOWN_DELAY_MS,
    shutdownGraceMilliseconds: SHUTDOWN_GRACE_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    maxStreams: MAX_STREAMS,
    retainDays: RETAIN_DAYS,
    metrics: METRICS_PORT === undefined ? undefined : { host: METRICS_HOST, port: METRICS_PORT },
    proxies: { http: HTTP_PROXY, https: HTTPS_PROXY, exceptions: NO_PROXY },
    tracesEndpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: LOG_LEVEL,
    limits,
  };
}

function redisAddress({
  REDIS_URL: server,
  REDIS_SENTINELS: sentinels,
  REDIS_SENTINEL_NAME: name,
  REDIS_CLUSTER: nodes,
}: Pick<Environment, RedisVariable>): RedisAddress | undefined {
  if (nodes !== undefined) return { kind: 'cluster', nodes };
  if (sentinels !== undefined && name !== undefined) return { kind: 'sentinel', sentinels, name };
  return server && { kind: 'server', server };
}

function configuredProviders(environment: Pick<Environment, ProviderVariable>) {
  const configured: Partial<Record<ProviderName, { clientId: string; clientSecret: string; baseUrl?: string }>> = {};
  for (const name of providerNames) {
    const variables = variablesOf(name);
    const baseUrl = environment[variables.baseUrl];
    // An emulator accepts any client id and secret.
    const clientId = environment[variables.clientId] ?? (baseUrl && 'advisory-chat');
    const clientSecret = environment[variables.clientSecret] ?? (baseUrl && 'emulated');
    if (clientId && clientSecret) configured[name] = { clientId, clientSecret, ...(baseUrl && { baseUrl }) };
  }
  return configured;
}
