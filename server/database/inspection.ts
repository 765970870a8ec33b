import type { Logger } from 'pino';
import { nativeClient } from './client.ts';
import { migrations } from './migrations.ts';
import { type Orm, openOrm } from './orm.ts';
import { inOrganization } from './transactions.ts';
import { tryTurn } from './trial-turn.ts';

export type Inspection = {
  /** As PostgreSQL names it, `16.4` say. */
  version: string;
  majorVersion: number;
  /** The protocol, `TLSv1.3` say; null where the connection is not encrypted. */
  encryption: string | null;
  connections: Connections;
  /** By how much this machine's clock is ahead of the database's; the way there and back is not counted. */
  clockAheadMilliseconds: number;
  /** The names of migrations that this release has and the database does not. */
  pendingMigrations: string[];
  login: Login;
  /** Tables of organizations' data on which row-level security is not in force for the tenant role. */
  unprotectedTables: string[];
  /** What the database says where a turn cannot be opened and closed; undefined where it can, or was not tried. */
  turnError: unknown;
};

/** Of the whole server. */
type Connections = {
  most: number;
  inUse: number;
  /** Kept for superusers. */
  reserved: number;
  /** How many a process of the service takes at the most. */
  pool: number;
};

/** Who the service is to the database. */
type Login = {
  name: string;
  /** Whether it owns what it serves: then it can switch row-level security off. */
  ownsTables: boolean;
  /** Whether it has more rights than any login of this product needs: superuser, or passes row-level security. */
  privileged: boolean;
};

/**
 * Looks at a PostgreSQL database as the login that `url` names, and changes nothing in it. `pool` is how many connections a
 * process of the service takes at the most.
 * @throws where it cannot be reached
 */
export async function inspectDatabase(url: string, pool: number, logger: Logger): Promise<Inspection> {
  const orm = await openOrm({ kind: 'postgresql', url, pool }, logger);
  try {
    const server = await one<{ version: string; number: number }>(
      orm,
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
    );
    const pendingMigrations = await findPendingMigrations(orm);
    const current = pendingMigrations.length === 0;
    const turnError = current ? await errorOf(tryTurn(orm)) : undefined;
    return {
      version: server.version,
      majorVersion: Math.floor(server.number / 10_000),
      encryption: await findEncryption(orm),
      connections: { ...(await countConnections(orm)), pool },
      clockAheadMilliseconds: await compareClocks(orm),
      pendingMigrations,
      login: await findLogin(orm),
      unprotectedTables: current && turnError === undefined ? await findUnprotectedTables(orm) : [],
      turnError,
    };
  } finally {
    await orm.close(true);
  }
}

/**
 * Whether the login that `url` names, which changes the schema, owns it.
 * @throws where it cannot be reached
 */
export async function ownsSchema(url: string, logger: Logger): Promise<boolean> {
  const orm = await openOrm({ kind: 'postgresql', url, variable: 'DATABASE_MIGRATION_URL' }, logger);
  try {
    return (await findLogin(orm)).ownsTables;
  } finally {
    await orm.close(true);
  }
}

/**
 * The names of migrations that this release has and the database does not. Not by the migrator, which creates its table
 * where that is missing.
 */
export async function findPendingMigrations(orm: Orm): Promise<string[]> {
  const { tableName, migrationsList } = migrations;
  const em = orm.em.fork();
  const tables = await em.execute('select 1 where to_regclass(?) is not null', [tableName]);
  const rows = tables.length === 0 ? [] : await em.execute<{ name: string }[]>(`select name from ${tableName}`);
  const done = new Set(rows.map(({ name }) => name));
  return migrationsList.map(({ name }) => name).filter((name) => !done.has(name));
}

/** Of the connection itself: what the server says is about its own, which a pooler in between may have made. */
async function findEncryption(orm: Orm): Promise<string | null> {
  const pool = (await nativeClient(orm)) as unknown as {
    connect(): Promise<{ encryption: string | null; release(): void }>;
  };
  const client = await pool.connect();
  const { encryption } = client;
  client.release();
  return encryption;
}

function countConnections(orm: Orm): Promise<Omit<Connections, 'pool'>> {
  return one<Omit<Connections, 'pool'>>(
    orm,
    `select current_setting('max_connections')::int as most,
            current_setting('superuser_reserved_connections')::int
              + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
            (select sum(numbackends)::int from pg_stat_database) as "inUse"`,
  );
}

async function compareClocks(orm: Orm): Promise<number> {
  const askedAt = Date.now();
  const { now } = await one<{ now: number }>(orm, 'select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  const answeredAt = Date.now();
  if (now < askedAt) return askedAt - now;
  return Math.min(0, answeredAt - now);
}

function findLogin(orm: Orm): Promise<Login> {
  return one<Login>(
    orm,
    `select current_user::text as name, rolsuper or rolbypassrls as privileged,
            exists (select from pg_tables where tablename = 'users' and schemaname = current_schema()
              and pg_has_role(current_user, tableowner, 'member')) as "ownsTables"
       from pg_roles where rolname = current_user`,
  );
}

/** Asks as the tenant role itself, in a transaction like those that requests use. */
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

async function one<Row>(orm: Orm, statement: string): Promise<Row> {
  const [row] = await orm.em.fork().execute<Row[]>(statement);
  if (row === undefined) throw new Error('The server does not answer what it was asked');
  return row;
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? new Error('A turn failed without a reason');
  }
}
