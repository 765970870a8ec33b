import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Cluster } from 'ioredis';
import type { Logger } from 'pino';
import type { ErrorCode, UpstreamCode } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { limits } from '../../shared/route-table.ts';
import { providerLabels, providerNames } from '../../shared/session.ts';
import { providers as signInProviders } from '../auth/providers.ts';
import type { Config } from '../config/config.ts';
import { type Inspection, inspectDatabase, inspectOwner } from '../database/schema/inspection.ts';
import { isOutOfConnections } from '../database/serving/outage.ts';
import { tenantRole } from '../database/tenant.ts';
import { createRedisWindow } from '../limits/limiter.ts';
import { anthropicUrl, createAnthropicModel } from '../model/anthropic-model.ts';
import { codeOf, sqlStates } from '../postgres/sql-states.ts';
import { systemBlock } from '../prompt/prompts.ts';
import { proxyFor } from '../proxies.ts';
import type { RedisAddress } from '../redis/redis-address.ts';
import { connectRedis, type RedisClient, requireUsable } from '../redis/redis-client.ts';

/** A line of the output. The text of a failure includes what to do. */
export type CheckResult = { outcome: 'ok' | 'FAILED' | 'skipped'; subject: string; text: string };

export function resultsFor(subject: string) {
  return {
    ok: (text: string): CheckResult => ({ outcome: 'ok', subject, text }),
    failed: (text: string): CheckResult => ({ outcome: 'FAILED', subject, text }),
    skipped: (text: string): CheckResult => ({ outcome: 'skipped', subject, text }),
  };
}

export function formatResult({ outcome, subject, text }: CheckResult): string {
  return `${outcome.padEnd(8)} ${subject.padEnd(13)} ${text}`;
}

/** Returns the message of the root cause, on one line and without a full stop. */
export function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/\s+/g, ' ').replace(/[ .:]+$/, '');
}

export function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

const { ok, failed, skipped } = resultsFor('Database');

const oldestMajorVersion = 15;
const maxClockSeconds = 5;

const privilegesAdvice =
  `Run npm run migrate to grant them. After a restore, create the roles, including ${tenantRole}, and ` +
  'restore again without --no-acl (docs/database.md, Backup and restore).';

/** The minimum number of instances for an update without downtime. */
export const defaultInstances = 2;

/** `instances` is the number of processes that an update replaces. */
export async function checkDatabase(
  config: Config,
  logger: Logger,
  instances = defaultInstances,
): Promise<CheckResult[]> {
  const { databaseUrl, databaseMigrationUrl, databasePool } = config;
  if (databaseUrl === undefined) return [skipped('DATABASE_URL is not set, so the embedded database is used.')];
  try {
    const inspection = await inspectDatabase(databaseUrl, databasePool, logger);
    const results = assess(inspection, instances);
    if (databaseMigrationUrl === undefined || databaseMigrationUrl === databaseUrl) {
      return [...results, ...missingOwnerResults(inspection), ...engagementResults(inspection.unreadableEngagements)];
    }
    return [...results, ...(await checkOwner(databaseMigrationUrl, logger))];
  } catch (error) {
    if (isOutOfConnections(rootCause(error))) {
      return [failed(`PostgreSQL has no free connection (${reasonOf(error)}). ${connectionAdvice}`)];
    }
    return [failed(`${reasonOf(error)}. ${isPermissionDenied(error) ? privilegesAdvice : 'Check DATABASE_URL.'}`)];
  }
}

const connectionAdvice =
  'Raise max_connections (and the limit of the login or database, if it has one), lower DATABASE_POOL, or put a pooler in front.';

/** Two for a migration and one for an operator command. */
const operatorConnections = 3;

function assess(inspection: Inspection, instances: number): CheckResult[] {
  const { version, majorVersion, pending, obstacles } = inspection;
  const results = [
    majorVersion >= oldestMajorVersion
      ? ok(`Connected to PostgreSQL ${version}.`)
      : failed(`PostgreSQL ${version} is too old. Upgrade to version ${oldestMajorVersion} or later.`),
    ...readOnlyResults(inspection),
    ...obstacles.map(failed),
    encryptionResult(inspection),
    clockResult(inspection),
    ...connectionResults(inspection, instances),
  ];
  if (pending.length > 0) {
    return [
      ...results,
      failed(
        `The schema lacks ${pending.join(', ')}. Run npm run migrate, or start the service without MIGRATE=false.`,
      ),
    ];
  }
  return [...results, ok('The schema is up to date.'), loginResult(inspection), ...privilegeResults(inspection)];
}

function readOnlyResults({ writable, standby, login: { name } }: Inspection): CheckResult[] {
  if (writable) return [];
  return [
    failed(
      standby
        ? 'The server is read-only. Set DATABASE_URL to the primary, or add target_session_attrs=read-write.'
        : 'The setting default_transaction_read_only is on. Once writes are possible again, set it to off for the server, ' +
            `the database or the login ${name}, wherever it is on.`,
    ),
  ];
}

function encryptionResult({ encryption: protocol }: Inspection): CheckResult {
  return ok(
    protocol === null
      ? 'The connection is not encrypted. Unless the database is on this machine or a private network, add sslmode=verify-full to DATABASE_URL.'
      : `The connection is encrypted (${protocol}).`,
  );
}

function clockResult({ clockAheadMilliseconds }: Inspection): CheckResult {
  const seconds = Math.abs(clockAheadMilliseconds) / 1000;
  if (seconds < 0.1) return ok("This machine's clock matches the database's.");
  const difference = `This machine's clock is ${seconds.toFixed(1)} s ${clockAheadMilliseconds > 0 ? 'ahead of' : 'behind'} the database's`;
  return seconds <= maxClockSeconds ? ok(`${difference}.`) : failed(`${difference}. Synchronize both with NTP.`);
}

/** Checks the current connections, and those during an update, in which the processes of both releases can run at once. */
function connectionResults({ connections: counted, pooled }: Inspection, instances: number): CheckResult[] {
  const { max, inUse, reserved, loginLimit, databaseLimit, pool } = counted;
  const processConnections = 2 * instances * pool;
  const update = `An update of ${instances} instances uses up to ${processConnections} connections (old and new processes with ${pool} each)`;
  if (pooled) return [ok(`${update} to the pooler. Its max_client_conn must allow them.`)];

  const free = Math.max(0, max - reserved - inUse);
  const counts = `${free} of ${max} connections are free (${inUse} in use, ${reserved} reserved); a process uses up to ${pool}.`;
  const limits = [
    { name: 'max_connections', limit: max - reserved, needed: processConnections + operatorConnections },
    { name: "the login's connection limit", limit: loginLimit, needed: processConnections },
    { name: "the database's connection limit", limit: databaseLimit, needed: processConnections + operatorConnections },
  ];
  const tooLow = limits.find(({ limit, needed }) => limit !== null && limit < needed);
  const sum = `${update}, and ${operatorConnections} for the migration and an operator command`;
  return [
    free >= pool ? ok(counts) : failed(`${counts} ${connectionAdvice}`),
    tooLow === undefined
      ? ok(`${sum}.`)
      : failed(
          `${sum}; ${tooLow.name} is ${tooLow.limit}. ${connectionAdvice} Use --instances N for another number of instances.`,
        ),
  ];
}

/** The service runs without the owner's login, but operator commands require it. */
function missingOwnerResults({ login: { ownsTables, privileged }, pending }: Inspection): CheckResult[] {
  if (ownsTables || privileged || pending.length > 0) return [];
  const text = `npm run admin and npm run migrate require the owner's login. Set DATABASE_MIGRATION_URL where you run them.`;
  return [skipped(text)];
}

function loginResult({ login: { name, ownsTables, privileged } }: Inspection): CheckResult {
  if (privileged) {
    return ok(
      `The serving login ${name} bypasses row-level security. A login that does not own the tables is safer: see DATABASE_MIGRATION_URL.`,
    );
  }
  return ok(
    ownsTables
      ? 'The serving login owns the tables. A login that does not own them is safer: see DATABASE_MIGRATION_URL.'
      : 'The serving login does not own the tables.',
  );
}

function privilegeResults({ missingPrivileges, unprotectedTables }: Inspection): CheckResult[] {
  if (missingPrivileges.length > 0) {
    return [failed(`The serving login lacks ${missingPrivileges.join(', ')}. ${privilegesAdvice}`)];
  }
  return [
    ok('The serving login has all required privileges.'),
    unprotectedTables.length === 0
      ? ok(`Row-level security is active for ${tenantRole}.`)
      : failed(
          `Row-level security is not active for ${tenantRole} on ${unprotectedTables.join(', ')}. ` +
            'Enable it on these tables, and make sure that the role is neither superuser nor owner and has no BYPASSRLS.',
        ),
  ];
}

function isPermissionDenied(error: unknown): boolean {
  return codeOf(rootCause(error)) === sqlStates.insufficientPrivilege;
}

async function checkOwner(url: string, logger: Logger): Promise<CheckResult[]> {
  try {
    const { ownsTables, unreadableEngagements } = await inspectOwner(url, logger);
    if (!ownsTables) {
      return [failed('The login of DATABASE_MIGRATION_URL does not own the tables. Use the login that created them.')];
    }
    return [ok('The login of DATABASE_MIGRATION_URL owns the tables.'), ...engagementResults(unreadableEngagements)];
  } catch (error) {
    return [failed(`${reasonOf(error)}. Check DATABASE_MIGRATION_URL.`)];
  }
}

const maxNamedUsers = 5;

function engagementResults(unreadable: Inspection['unreadableEngagements']): CheckResult[] {
  if (unreadable.length === 0) return [];
  const named = unreadable.slice(0, maxNamedUsers).map(({ userId, parts }) => `${userId} (${parts.join(', ')})`);
  const others = unreadable.length > maxNamedUsers ? ` and ${unreadable.length - maxNamedUsers} others` : '';
  return [
    failed(
      `Parts of engagement states cannot be read and are left out of the prompt: ${named.join(', ')}${others}. ` +
        'Correct them with npm run admin -- set-engagement.',
    ),
  ];
}

const redisResult = resultsFor('Redis');

const timeoutMilliseconds = 5_000;

/** Enough random keys to reach every node of a cluster with high probability. */
const sampleKeys = 32;

const variables: Record<RedisAddress['kind'], string> = {
  server: 'REDIS_URL',
  sentinel: 'REDIS_SENTINELS and REDIS_SENTINEL_NAME',
  cluster: 'REDIS_CLUSTER',
};

/** Runs the limits' own script on random keys. */
export async function checkRedis({ redis: address }: Pick<Config, 'redis'>, logger: Logger): Promise<CheckResult[]> {
  if (address === undefined)
    return [redisResult.skipped('REDIS_URL is not set, so each process counts its limits separately.')];
  const redis = connectRedis(address, logger);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(timeoutMilliseconds) });
    const milliseconds = await timePing(redis);
    await requireUsable(redis);
    const window = createRedisWindow({ redis, points: 1, duration: 1, keyPrefix: 'advisory-chat:doctor' });
    const keys = Array.from({ length: sampleKeys }, () => randomUUID());
    await Promise.all(keys.map((key) => window.consume(key)));
    await Promise.all(keys.map((key) => window.delete(key)));
    return [redisResult.ok(`${describeRedis(redis, address)} responds in ${milliseconds} ms and counts requests.`)];
  } catch (error) {
    const check = `Check ${variables[address.kind]}, and that the user may run scripts (EVAL, EVALSHA).`;
    return [redisResult.failed(`${reasonOf(nodeErrorOf(error))}. ${check}`)];
  } finally {
    redis.disconnect();
  }
}

/** If no node of a cluster is available, the client's error contains the error of the last node. */
function nodeErrorOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

function describeRedis(redis: RedisClient, { kind }: RedisAddress): string {
  if (redis instanceof Cluster) return `A cluster of ${redis.nodes('master').length} masters`;
  return kind === 'sentinel' ? 'The master' : 'Redis';
}

async function timePing(redis: RedisClient): Promise<number> {
  const startedAt = performance.now();
  await redis.ping();
  return Math.round(performance.now() - startedAt);
}

const modelResult = resultsFor('Model');

const advice: Readonly<Partial<Record<ErrorCode, string>>> = {
  UPSTREAM_AUTH: 'Check ANTHROPIC_API_KEY: the provider rejects it for this model.',
  UPSTREAM_BAD_REQUEST: 'Check ANTHROPIC_MODEL: the provider rejects the request.',
  UPSTREAM_OVERLOADED: 'The provider is overloaded. Try again later.',
  UPSTREAM_ERROR: 'Check ANTHROPIC_MODEL, ANTHROPIC_BASE_URL and the network connection to the provider.',
} satisfies Record<UpstreamCode, string>;

/** Sends one small request through the same client as turns. */
export async function checkModel({
  model: settings,
  modelIdleTimeoutMilliseconds,
  proxies,
}: Config): Promise<CheckResult[]> {
  const { apiKey, baseUrl, name } = settings;
  if (apiKey === undefined && baseUrl === undefined) {
    return [modelResult.skipped('ANTHROPIC_API_KEY is not set, so the offline stand-in replies.')];
  }
  const model = createAnthropicModel({
    apiKey,
    baseUrl,
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
    proxy: proxyFor(proxies, baseUrl ?? anthropicUrl),
  });
  const startedAt = performance.now();
  const prompt = {
    system: [systemBlock('Answer in one word.')],
    messages: [{ role: 'user' as const, content: 'Say hello.' }],
  };
  const reply = model.start({ prompt, maxTokens: 64, effort: 'medium' }, new AbortController().signal);
  const { error, model: answeringModel } = await reply.stream(() => undefined);
  await model.close();
  if (error !== null) return [modelResult.failed(`${error.code} (${reasonOf(error)}). ${advice[error.code] ?? ''}`)];
  return [modelResult.ok(`${answeringModel} replied in ${Math.round(performance.now() - startedAt)} ms.`)];
}

const budgetResult = resultsFor('Budgets');

export async function checkBudgets({ tokensPerDay, maxBodyBytes }: Config): Promise<CheckResult[]> {
  const { user, organization, demo } = tokensPerDay;
  const { requests, windowSeconds } = limits.live;
  const gigabytesPerDay = Math.round((requests / windowSeconds) * 86_400 * maxBodyBytes * 1e-9);
  return [
    user === undefined && organization === undefined
      ? budgetResult.skipped(
          `None is set for users. One user can have ${requests} questions a minute answered at your cost, and store ` +
            `${gigabytesPerDay} GB a day. Set TOKENS_PER_DAY_USER or TOKENS_PER_DAY_ORGANIZATION.`,
        )
      : budgetResult.ok('Set for users or organizations.'),
    demo === undefined
      ? budgetResult.skipped('None is set for demo chat, which anyone can use at your cost. Set TOKENS_PER_DAY_DEMO.')
      : budgetResult.ok('Set for demo chat.'),
  ];
}

const signInResult = resultsFor('Sign-in');

/** Returns the callback URL to register with each provider. Only an actual sign-in can test it. */
export async function checkSignIn({ providers, publicUrl, port }: Config): Promise<CheckResult[]> {
  const configured = providerNames.filter((name) => providers[name] !== undefined);
  if (configured.length === 0) return [signInResult.skipped('No provider is configured, so all are emulated.')];
  const base = publicUrl ?? `http://localhost:${port}`;
  return configured.map((name) =>
    signInResult.ok(`Callback URL to register with ${providerLabels[name]}: ${base}${routes.signIn}/${name}/callback`),
  );
}

const proxyResult = resultsFor('Proxy');

/** Names the proxy of each host that the configuration uses, and connects to each proxy. */
export async function checkProxies({ proxies, model, providers, tracesEndpoint }: Config): Promise<CheckResult[]> {
  if (proxies.http === undefined && proxies.https === undefined) {
    return [proxyResult.skipped('Neither HTTPS_PROXY nor HTTP_PROXY is set, so all connections are direct.')];
  }
  const usesModel = model.apiKey !== undefined || model.baseUrl !== undefined;
  const signIn = providerNames.flatMap((name) => {
    const settings = providers[name];
    if (settings === undefined) return [];
    return settings.baseUrl === undefined ? signInProviders[name].servers : [settings.baseUrl];
  });
  const addresses = [usesModel ? (model.baseUrl ?? anthropicUrl) : undefined, ...signIn, tracesEndpoint];
  const hosts = addresses
    .filter((address) => address !== undefined)
    .map((address) => ({ host: new URL(address).host, proxy: proxyFor(proxies, address) }));
  const used = [...new Set(hosts.map(({ proxy }) => proxy))].filter((proxy) => proxy !== undefined);
  return [
    ...hosts.map(({ host, proxy }) =>
      proxyResult.ok(`${host} is reached ${proxy === undefined ? 'directly' : `through ${hostOf(proxy)}`}.`),
    ),
    ...(await Promise.all(used.map(findProxyFailure))).filter((result) => result !== undefined),
  ];
}

/** Omits the credentials. */
const hostOf = (proxy: string) => new URL(proxy).host;

async function findProxyFailure(proxy: string): Promise<CheckResult | undefined> {
  const { hostname, port, protocol } = new URL(proxy);
  const socket = connect(Number(port || (protocol === 'https:' ? 443 : 80)), hostname.replace(/^\[(.*)\]$/, '$1'));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMilliseconds) });
    return undefined;
  } catch (error) {
    return proxyResult.failed(`${hostOf(proxy)}: ${reasonOf(error)}. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`);
  } finally {
    socket.destroy();
  }
}
