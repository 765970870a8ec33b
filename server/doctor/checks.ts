import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Cluster } from 'ioredis';
import type { Logger } from 'pino';
import type { ErrorCode } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { providerLabels, providerNames } from '../../shared/session.ts';
import type { Config } from '../config/config.ts';
import { type Inspection, inspectDatabase, ownsSchema } from '../database/inspection.ts';
import { isOutOfConnections } from '../database/outage.ts';
import { tenantRole } from '../database/tenant.ts';
import { createRedisWindow } from '../limits/redis-window.ts';
import { createAnthropicModel } from '../model/anthropic-model.ts';
import { systemBlock } from '../prompt/prompts.ts';
import type { RedisAddress } from '../redis/address.ts';
import { connectRedis, type RedisClient, requireUsable } from '../redis/client.ts';

/** One line of the doctor's; `text` says what is so and, where something failed, what to do. It holds no secret. */
export type Finding = { outcome: 'ok' | 'FAILED' | 'skipped'; subject: string; text: string };

/** The findings of one subject. */
export function findingsOn(subject: string) {
  return {
    ok: (text: string): Finding => ({ outcome: 'ok', subject, text }),
    failed: (text: string): Finding => ({ outcome: 'FAILED', subject, text }),
    skipped: (text: string): Finding => ({ outcome: 'skipped', subject, text }),
  };
}

export function formatFinding({ outcome, subject, text }: Finding): string {
  return `${outcome.padEnd(8)} ${subject.padEnd(13)} ${text}`;
}

/** Why something failed: the words of its root cause, on one line and without its full stop. */
export function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  const words = cause instanceof Error ? cause.message : String(cause);
  return words.replace(/\s+/g, ' ').replace(/[ .:]+$/, '');
}

export function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

const { ok, failed, skipped } = findingsOn('Database');

const oldestMajorVersion = 15;
const maxClockSeconds = 5;

const rightsAdvice =
  `npm run migrate grants the login what it needs. After a restore: make the roles first, ${tenantRole} among them, and then ` +
  'restore again without --no-acl (docs/database.md, Backup and restore).';

/** An update without an outage needs two. */
export const usualInstances = 2;

/**
 * Whether PostgreSQL can be reached, is recent enough, has today's schema and connections for an update of so many
 * instances, and lets the login that serves do its work.
 */
export async function checkDatabase(config: Config, logger: Logger, instances = usualInstances): Promise<Finding[]> {
  const { databaseUrl, databaseMigrationUrl, databasePool } = config;
  if (databaseUrl === undefined) return [skipped('DATABASE_URL is not set: the embedded database is used.')];
  try {
    const inspection = await inspectDatabase(databaseUrl, databasePool, logger);
    const findings = judge(inspection, instances);
    if (databaseMigrationUrl === undefined || databaseMigrationUrl === databaseUrl) {
      return [...findings, ...missingOwner(inspection)];
    }
    return [...findings, await checkOwner(databaseMigrationUrl, logger)];
  } catch (error) {
    if (isOutOfConnections(rootCause(error))) {
      return [failed(`PostgreSQL answers and has no free connection (${reasonOf(error)}). ${connectionAdvice}`)];
    }
    return [failed(`${reasonOf(error)}. ${isDenied(error) ? rightsAdvice : 'Check DATABASE_URL.'}`)];
  }
}

const connectionAdvice =
  'Raise max_connections (and the limit of the login or database, if it has one), lower DATABASE_POOL, or put a pooler in front.';

/** The migration has two connections, and an operator's command one. */
const operatorConnections = 3;

function judge(inspection: Inspection, instances: number): Finding[] {
  const { version, majorVersion, writable, pending } = inspection;
  const answers = `PostgreSQL ${version} answers.`;
  const findings = [
    majorVersion >= oldestMajorVersion
      ? ok(answers)
      : failed(`${answers} ${oldestMajorVersion} or a newer one is needed.`),
    ...(writable ? [] : [failed('It takes no writes: name the primary, or ask for target_session_attrs=read-write.')]),
    encryption(inspection),
    clock(inspection),
    ...connections(inspection, instances),
  ];
  if (pending.length > 0) {
    return [
      ...findings,
      failed(
        `The schema lacks ${pending.join(', ')}. npm run migrate brings it up to date, and so does a start without MIGRATE=false.`,
      ),
    ];
  }
  return [...findings, ok('The schema is up to date.'), login(inspection), ...work(inspection)];
}

function encryption({ encryption: protocol }: Inspection): Finding {
  return ok(
    protocol === null
      ? 'The connection is not encrypted: that is for a database on this machine, or on a network of its own. Else ask for sslmode=verify-full in DATABASE_URL.'
      : `The connection is encrypted (${protocol}).`,
  );
}

function clock({ clockAheadMilliseconds }: Inspection): Finding {
  const seconds = Math.abs(clockAheadMilliseconds) / 1000;
  if (seconds < 0.1) return ok("This machine's clock and the database's agree.");
  const difference = `This machine's clock is ${seconds.toFixed(1)} s ${clockAheadMilliseconds > 0 ? 'ahead of' : 'behind'} the database's`;
  return seconds <= maxClockSeconds ? ok(`${difference}.`) : failed(`${difference}: have both set by a time server.`);
}

/** Of the server now, and in an update, in which all processes of both releases may run at once. */
function connections({ connections: counted, pooled }: Inspection, instances: number): Finding[] {
  const { max, inUse, reserved, loginLimit, databaseLimit, pool } = counted;
  const processes = 2 * instances * pool;
  const update = `An update of ${instances} instances takes up to ${processes} connections (old and new processes with ${pool} each)`;
  if (pooled) return [ok(`${update} to the pooler that is in between: its max_client_conn has to allow them.`)];

  const left = Math.max(0, max - reserved - inUse);
  const counts = `${left} of ${max} connections are left (${inUse} in use, ${reserved} kept for superusers); a process takes up to ${pool}.`;
  const limits = [
    { name: 'max_connections', limit: max - reserved, needed: processes + operatorConnections },
    { name: "the login's connection limit", limit: loginLimit, needed: processes },
    { name: "the database's connection limit", limit: databaseLimit, needed: processes + operatorConnections },
  ];
  const tooLow = limits.find(({ limit, needed }) => limit !== null && limit < needed);
  const sum = `${update}, and ${operatorConnections} for the migration and an operator's command`;
  return [
    left >= pool ? ok(counts) : failed(`${counts} ${connectionAdvice}`),
    tooLow === undefined
      ? ok(`${sum}.`)
      : failed(`${sum}; ${tooLow.name} allows ${tooLow.limit}. ${connectionAdvice} For another number: --instances N.`),
  ];
}

/** Without the owner's login the service runs, and the operator's commands do not. */
function missingOwner({ login: { ownsTables, privileged }, pending }: Inspection): Finding[] {
  if (ownsTables || privileged || pending.length > 0) return [];
  const text = `npm run admin and npm run migrate need the owner's login: set DATABASE_MIGRATION_URL where you run them.`;
  return [skipped(text)];
}

function login({ login: { name, ownsTables, privileged } }: Inspection): Finding {
  if (privileged) {
    return ok(
      `The login ${name}, which serves, passes row-level security by itself. That works, and is weaker than one that owns nothing: see DATABASE_MIGRATION_URL.`,
    );
  }
  return ok(
    ownsTables
      ? 'The login that serves owns the tables. That works, and is weaker than one that owns nothing: see DATABASE_MIGRATION_URL.'
      : 'The login that serves owns nothing.',
  );
}

function work({ missingRights, unprotectedTables }: Inspection): Finding[] {
  if (missingRights.length > 0) {
    return [failed(`The login that serves lacks ${missingRights.join(', ')}. ${rightsAdvice}`)];
  }
  return [
    ok('The login that serves has every right that it needs.'),
    unprotectedTables.length === 0
      ? ok(`Row-level security is in force for ${tenantRole}.`)
      : failed(
          `Row-level security is not in force for ${tenantRole} on ${unprotectedTables.join(', ')}. ` +
            'Enable it there, and see that the role is neither superuser nor owner and has no BYPASSRLS.',
        ),
  ];
}

function isDenied(error: unknown): boolean {
  const cause = rootCause(error);
  return cause instanceof Error && 'code' in cause && cause.code === '42501';
}

async function checkOwner(url: string, logger: Logger): Promise<Finding> {
  try {
    return (await ownsSchema(url, logger))
      ? ok('The login of DATABASE_MIGRATION_URL owns the tables.')
      : failed('The login of DATABASE_MIGRATION_URL does not own the tables: it cannot change the schema.');
  } catch (error) {
    return failed(`${reasonOf(error)}. Check DATABASE_MIGRATION_URL.`);
  }
}

const onRedis = findingsOn('Redis');

const timeoutMilliseconds = 5_000;

/** As many keys are most likely on every node of a cluster. */
const keysToCount = 32;

const variables: Record<RedisAddress['kind'], string> = {
  server: 'REDIS_URL',
  sentinel: 'REDIS_SENTINELS and REDIS_SENTINEL_NAME',
  cluster: 'REDIS_CLUSTER',
};

/** Whether Redis answers and counts: the limits' own script is run on keys of this check's own. */
export async function checkRedis({ redis: address }: Pick<Config, 'redis'>, logger: Logger): Promise<Finding[]> {
  if (address === undefined) return [onRedis.skipped('REDIS_URL is not set: each process counts by itself.')];
  const redis = connectRedis(address, logger);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(timeoutMilliseconds) });
    const milliseconds = await timePing(redis);
    await requireUsable(redis);
    const window = createRedisWindow({ redis, points: 1, duration: 1, keyPrefix: 'advisory-chat:doctor' });
    const keys = Array.from({ length: keysToCount }, () => randomUUID());
    await Promise.all(keys.map((key) => window.consume(key)));
    await Promise.all(keys.map((key) => window.delete(key)));
    return [onRedis.ok(`${nameOf(redis, address)} answers in ${milliseconds} ms, and counts.`)];
  } catch (error) {
    const check = `Check ${variables[address.kind]}, and that its user may run scripts (EVAL, EVALSHA).`;
    return [onRedis.failed(`${reasonOf(nodeErrorOf(error))}. ${check}`)];
  } finally {
    redis.disconnect();
  }
}

/** Where no node of a cluster will do, what the last one said. */
function nodeErrorOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? (error.lastNodeError ?? error) : error;
}

function nameOf(redis: RedisClient, { kind }: RedisAddress): string {
  if (redis instanceof Cluster) return `A cluster of ${redis.nodes('master').length} masters`;
  return kind === 'sentinel' ? 'The master' : 'It';
}

async function timePing(redis: RedisClient): Promise<number> {
  const startedAt = performance.now();
  await redis.ping();
  return Math.round(performance.now() - startedAt);
}

const onModel = findingsOn('Model');

const advice: Partial<Record<ErrorCode, string>> = {
  UPSTREAM_AUTH: 'Check ANTHROPIC_API_KEY: the provider does not accept it for this model.',
  UPSTREAM_BAD_REQUEST: 'Check ANTHROPIC_MODEL: the provider does not accept this request.',
  UPSTREAM_OVERLOADED: 'The provider is busy: try again in a while.',
  UPSTREAM_ERROR: 'Check ANTHROPIC_MODEL, ANTHROPIC_BASE_URL and the way out to the provider.',
};

/** Whether the model provider answers: one small request, the way that turns are sent. */
export async function checkProvider({ model: settings, modelIdleTimeoutMilliseconds }: Config): Promise<Finding[]> {
  const { apiKey, baseUrl, name } = settings;
  if (apiKey === undefined && baseUrl === undefined) {
    return [onModel.skipped('ANTHROPIC_API_KEY is not set: the offline stand-in answers.')];
  }
  const model = createAnthropicModel({
    apiKey,
    baseUrl,
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
  });
  const startedAt = performance.now();
  const { error, model: answeredBy } = await model.reply(
    {
      prompt: () => ({
        system: [systemBlock('Answer in one word.')],
        messages: [{ role: 'user', content: 'Say hello.' }],
      }),
      maxTokens: 64,
      effort: 'medium',
    },
    () => undefined,
    new AbortController().signal,
  );
  await model.close();
  if (error !== null) return [onModel.failed(`${error.code} (${reasonOf(error)}). ${advice[error.code] ?? ''}`)];
  return [onModel.ok(`${answeredBy} answers; the whole reply took ${Math.round(performance.now() - startedAt)} ms.`)];
}

const onSignIn = findingsOn('Sign-in');

/** The callback address to register at each provider. Only a person who signs in can try it. */
export async function checkSignIn({ providers, publicUrl, port }: Config): Promise<Finding[]> {
  const configured = providerNames.filter((name) => providers[name] !== undefined);
  if (configured.length === 0) return [onSignIn.skipped('No provider is configured: all are emulated.')];
  const base = publicUrl ?? `http://localhost:${port}`;
  return configured.map((name) =>
    onSignIn.ok(
      `The callback address to register with ${providerLabels[name]} is ${base}${routes.signIn}/${name}/callback.`,
    ),
  );
}
