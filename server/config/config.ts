import { type ProviderName, providerNames } from '../../shared/session.ts';
import type { RedisAddress } from '../redis/address.ts';
import { contradictions, productionComplaints } from './complaints.ts';
import { type Environment, environmentSchema, type Variables } from './environment.ts';
import { providerVariables } from './provider-variables.ts';
import { withSecretsFromFiles } from './secret-files.ts';

export type Config = ReturnType<typeof toConfig>;

/** Every complaint about the environment at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.complaints = complaints;
  }
}

/**
 * Reads the settings from the environment, once; nothing else reads one.
 * @throws ConfigError that lists every missing, malformed or weak variable in a sentence of its own
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  // An empty variable is how compose files and shells say "not set".
  const given: Variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { variables, complaints: unread } = withSecretsFromFiles(given);
  const parsed = environmentSchema.safeParse(variables);
  const complaints = [
    ...unread,
    ...(parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}.`) ?? []),
    ...contradictions(variables),
    ...(variables.NODE_ENV === 'production' ? productionComplaints(variables) : []),
  ];
  if (!parsed.success || complaints.length > 0) throw new ConfigError(complaints);
  return toConfig(parsed.data);
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
    /** This many requests in any trailing window. The first two are the specification's, the others are by address. */
    limits: {
      live: { requests: 60, windowSeconds: 60 },
      demo: { requests: 15, windowSeconds: 3600 },
      // An office behind one address signs in on a Monday morning.
      signInStart: { requests: 300, windowSeconds: 600 },
      signInCallback: { requests: 300, windowSeconds: 600 },
      joining: { requests: 300, windowSeconds: 600 },
      onboarding: { requests: 300, windowSeconds: 600 },
      violations: { requests: 20, windowSeconds: 60 },
    },
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
    const variables = providerVariables[name];
    const baseUrl = environment[variables.baseUrl];
    // An emulator takes any client.
    const clientId = environment[variables.clientId] ?? (baseUrl && 'advisory-chat');
    const clientSecret = environment[variables.clientSecret] ?? (baseUrl && 'emulated');
    if (clientId && clientSecret) configured[name] = { clientId, clientSecret, ...(baseUrl && { baseUrl }) };
  }
  return configured;
}
