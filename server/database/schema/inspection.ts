import type { Logger } from 'pino';
import { clockAheadMilliseconds } from '../../clock-difference.ts';
import { type EngagementState, engagementParts, readEngagementState } from '../../engagement/engagement-state.ts';
import { type Client, getNativeClient } from '../native-client.ts';
import { type Orm, openOrm } from '../orm.ts';
import { tenantPrivileges, tenantRole } from '../tenant.ts';
import { acrossOrganizations, inOrganization } from '../transactions.ts';
import { functionSignatures } from './functions.ts';
import { findObstacles } from './requirements.ts';
import { findPendingSteps } from './run-migrations.ts';
import { servingPrivileges } from './serving-login.ts';

export type Inspection = Awaited<ReturnType<typeof inspectDatabase>>;

/**
 * Inspects a PostgreSQL database as the login of `url`, read-only. `pool` is the maximum number of connections of one
 * process.
 * @throws Error if the database is unreachable
 */
export async function inspectDatabase(url: string, pool: number, logger: Logger) {
  await using orm = await openOrm({ kind: 'postgresql', url, pool }, logger);
  const server = await get<{ version: string; number: number; writable: boolean; standby: boolean }>(
    orm,
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
            current_setting('transaction_read_only') = 'off' as writable, pg_is_in_recovery() as standby`,
  );
  const pending = await findPendingSteps(orm);
  const login = await findLogin(orm);
  const missingPrivileges = pending.length === 0 ? await findMissingPrivileges(orm) : [];
  return {
    version: server.version,
    majorVersion: Math.floor(server.number / 10_000),
    /** False for a standby, or if transactions are read-only by default. */
    writable: server.writable,
    standby: server.standby,
    /** The reasons why the service cannot use the database, in sentences. */
    obstacles: await findObstacles(orm),
    ...(await inspectConnection(orm)),
    connections: { ...(await countConnections(orm)), pool },
    /** By how much this machine's clock is ahead of the database's, excluding network latency. */
    clockAheadMilliseconds: await compareClocks(orm),
    /** Names of migrations, or `functions`, that the schema lacks. */
    pending,
    login,
    unreadableEngagements: pending.length === 0 && login.ownsTables ? await findUnreadableEngagements(orm) : [],
    /** Missing privileges of the serving login and the tenant role, such as `insert on audit_events`. */
    missingPrivileges,
    /** Tables on which row-level security does not apply to the tenant role. */
    unprotectedTables: pending.length === 0 && missingPrivileges.length === 0 ? await findUnprotectedTables(orm) : [],
  };
}

export async function inspectOwner(url: string, logger: Logger) {
  await using orm = await openOrm({ kind: 'postgresql', url, variable: 'DATABASE_MIGRATION_URL' }, logger);
  const { ownsTables } = await findLogin(orm);
  return { ownsTables, unreadableEngagements: ownsTables ? await findUnreadableEngagements(orm) : [] };
}

const pageRows = 200;

/** Returns the users whose engagement state has parts that cannot be read, with these parts. Requires the owner's login. */
async function findUnreadableEngagements(orm: Orm): Promise<{ userId: string; parts: string[] }[]> {
  const found: { userId: string; parts: string[] }[] = [];
  for (let after = ['', '']; ; ) {
    const rows = await acrossOrganizations(orm, (em) =>
      em.execute<({ userId: string; orgId: string } & EngagementState)[]>(
        `select user_id as "userId", org_id as "orgId", ${engagementParts.join(', ')} from engagement_states
          where (user_id, org_id) > (?, ?) order by user_id, org_id limit ${pageRows}`,
        after,
      ),
    );
    for (const { userId, orgId, ...state } of rows) {
      const { unreadable: parts } = readEngagementState(state);
      if (parts.length > 0) found.push({ userId, parts });
      after = [userId, orgId];
    }
    if (rows.length < pageRows) return found;
  }
}

type PooledConnection = Client & { encryption: string | null; processID: number | null; release(): void };

/** Reads encryption from the client's socket, because the server only knows its connection to a pooler. */
async function inspectConnection(orm: Orm): Promise<{ encryption: string | null; pooled: boolean }> {
  const pool = (await getNativeClient(orm)) as unknown as { connect(): Promise<PooledConnection> };
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid', []);
    return {
      /** The TLS version, such as `TLSv1.3`; null if the connection is not encrypted. */
      encryption: client.encryption,
      /** A pooler invents the process id that it returns at login, because each transaction can use another process. */
      pooled: rows[0]?.pid !== client.processID,
    };
  } finally {
    client.release();
  }
}

type ConnectionCounts = {
  max: number;
  inUse: number;
  /** The connections that PostgreSQL reserves for superusers and, since version 16, for `pg_use_reserved_connections`. */
  reserved: number;
  /** Null if there is no limit for the login or the database. */
  loginLimit: number | null;
  databaseLimit: number | null;
};

function countConnections(orm: Orm) {
  return get<ConnectionCounts>(
    orm,
    `select current_setting('max_connections')::int as max,
            current_setting('superuser_reserved_connections')::int
              + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
            (select sum(numbackends)::int from pg_stat_database) as "inUse",
            (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as "loginLimit",
            (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as "databaseLimit"`,
  );
}

/** Returns the milliseconds by which this process's clock is ahead of the database's; negative if it is behind. */
export async function compareClocks(orm: Orm): Promise<number> {
  const requestedAt = Date.now();
  // Reads text, because a setting determines the number of digits of a float.
  const { now } = await get<{ now: string }>(orm, 'select (extract(epoch from clock_timestamp()) * 1000)::text as now');
  return clockAheadMilliseconds({ requestedAt, otherClock: Number(now), respondedAt: Date.now() });
}

/** Returns the bytes on disk of the whole database, including tables of other software. */
export async function readSize(orm: Orm): Promise<number> {
  const { bytes } = await get<{ bytes: number }>(orm, 'select pg_database_size(current_database())::float8 as bytes');
  return bytes;
}

/** An owner can disable row-level security. A privileged login, such as a superuser, bypasses it. */
export function findLogin(orm: Orm) {
  return get<{ name: string; ownsTables: boolean; privileged: boolean }>(
    orm,
    `select current_user::text as name, rolsuper or rolbypassrls as privileged,
            exists (select from pg_class where oid = to_regclass('users')
              and pg_has_role(current_user, relowner, 'member')) as "ownsTables"
       from pg_roles where rolname = current_user`,
  );
}

async function findMissingPrivileges(orm: Orm): Promise<string[]> {
  const { member } = await get<{ member: boolean }>(
    orm,
    `select coalesce((select pg_has_role(oid, 'member') from pg_roles where rolname = '${tenantRole}'), false) as member`,
  );
  if (!member) return [`membership in ${tenantRole}`];
  const onTables = [
    ...Object.entries(servingPrivileges).map(([table, rights]) => ({ role: null, table, rights })),
    ...Object.entries(tenantPrivileges).map(([table, rights]) => ({ role: tenantRole, table, rights })),
  ].flatMap(({ rights, ...of }) => rights.split(', ').map((privilege) => ({ ...of, privilege })));
  const rows = await orm.em.fork().execute<{ missing: string }[]>(
    `select privilege || ' on ' || "table" || coalesce(' for ' || role, '') as missing
       from json_to_recordset(?::json) as needed (role text, "table" text, privilege text)
      where not coalesce(has_table_privilege(coalesce(role, current_user), to_regclass("table"), privilege), false)
      union all
     select 'execute on function ' || split_part(signature, '(', 1)
       from json_array_elements_text(?::json) as needed (signature)
      where not coalesce(has_function_privilege(to_regprocedure(signature), 'execute'), false)`,
    [JSON.stringify(onTables), JSON.stringify(functionSignatures)],
  );
  return rows.map(({ missing }) => missing);
}

/** Queries as the tenant role, in the same kind of transaction that requests use. */
async function findUnprotectedTables(orm: Orm): Promise<string[]> {
  const tables = [...orm.getMetadata().getAll().values()]
    .filter(({ filters }) => 'tenant' in filters)
    .map(({ tableName }) => tableName);
  const rows = await inOrganization(orm, 'nobody', (em) =>
    em.execute<{ name: string; active: boolean }[]>(
      "select name, row_security_active(name) as active from unnest(string_to_array(?, ',')) as tables (name)",
      [tables.join(',')],
    ),
  );
  return rows.filter(({ active }) => !active).map(({ name }) => name);
}

function get<Row extends object>(orm: Orm, statement: string): Promise<Row> {
  return orm.em.fork().execute<Row>(statement, [], 'get');
}
