import type { Logger } from 'pino';
import { migrations } from './migrations.ts';
import { type Orm, openOrm } from './orm.ts';
import { inOrganization } from './tenant.ts';

export type Inspection = {
  /** As PostgreSQL names it, `16.4` say. */
  version: string;
  majorVersion: number;
  /** The names of migrations that this release has and the database does not. */
  pendingMigrations: string[];
  /** Whether the login owns what it serves: then it can switch row-level security off. */
  ownsTables: boolean;
  /** Tables of organizations' data on which row-level security is not in force for the tenant role. */
  unprotectedTables: string[];
};

/**
 * Looks at a PostgreSQL database and changes nothing in it.
 * @throws where it cannot be reached, and where work cannot be done under the tenant role
 */
export async function inspectDatabase(url: string, logger: Logger): Promise<Inspection> {
  const orm = await openOrm({ kind: 'postgresql', url }, logger);
  try {
    const [server] = await orm.em
      .fork()
      .execute<{ version: string; number: number }[]>(
        `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
      );
    if (server === undefined) throw new Error('The server does not say which version it is.');
    const pendingMigrations = await findPendingMigrations(orm);
    const [login] = await orm.em.fork().execute<{ owns: boolean }[]>(
      `select exists (select from pg_tables where tablename = 'users' and schemaname = current_schema()
           and pg_has_role(current_user, tableowner, 'member')) as owns`,
    );
    return {
      ownsTables: login?.owns ?? false,
      version: server.version,
      majorVersion: Math.floor(server.number / 10_000),
      pendingMigrations,
      unprotectedTables: pendingMigrations.length > 0 ? [] : await findUnprotectedTables(orm),
    };
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
