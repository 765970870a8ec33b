import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import { type Logger, pino } from 'pino';
import { createAdministration } from '../../server/database/administration.ts';
import { createDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { type Orm, openOrm, ormOptions } from '../../server/database/orm.ts';
import { takeEmbeddedDatabase } from './embedded-databases.ts';
import { testDatabaseUrl } from './services.ts';

const silent = pino({ level: 'silent' });

/**
 * A migrated database of its own: on PostgreSQL where `TEST_DATABASE_URL` names a server, else embedded, in memory. An embedded
 * one may have served an organization of another test: its connection remembers that it was told one, unless it `isNew`.
 */
export async function createTestDatabase(logger = silent, { isNew = false } = {}) {
  const { orm, drop } =
    testDatabaseUrl === undefined ? await openEmbedded(logger, isNew) : await openOnServer(testDatabaseUrl, logger);
  const database = await createDatabase(orm, logger);

  async function close() {
    await database.close();
    await drop();
  }

  return {
    orm,
    database,
    /** What the operator does, from outside of the application. */
    administration: createAdministration(orm, 'operator of the tests'),
    /** What is stored, past every repository and filter. */
    rows: (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
      orm.em.fork().execute(sql, parameters),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

async function openEmbedded(logger: Logger, isNew: boolean) {
  const { pglite, putBack } = await takeEmbeddedDatabase(isNew);
  const orm: Orm = await MikroORM.init({
    ...ormOptions(logger),
    driver: PgliteDriver,
    dbName: 'memory://',
    // As a function, because the ORM would copy an object.
    driverOptions: { pglite: () => pglite },
  });
  return { orm, drop: putBack };
}

/** What all databases of a run on a server are copies of. Its name is in the environment of all processes of the run. */
const templateVariable = 'TEST_DATABASE_TEMPLATE';
let databases = 0;

async function openOnServer(server: string, logger: Logger) {
  const template = process.env[templateVariable];
  if (template === undefined) throw new Error('The run has made no template of its databases.');
  databases += 1;
  const name = `${template}_${process.pid}_${databases}`;
  await onServer(server, `create database ${name} template ${template}`);
  const orm = await openOrm({ kind: 'postgresql', url: databaseOn(server, name) }, logger);
  return { orm, drop: () => onServer(server, `drop database ${name} with (force)`) };
}

/** Once for a run, by the process that begins it, before all tests. Gives what drops it. */
export async function makeTemplate(server: string): Promise<() => Promise<void>> {
  const template = `advisory_chat_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${template}`);
  const orm = await openOrm({ kind: 'postgresql', url: databaseOn(server, template) }, silent);
  await migrate(orm, { shared: true });
  await orm.close(true);
  process.env[templateVariable] = template;
  return () => onServer(server, `drop database ${template} with (force)`);
}

/** Runs one statement on a server, as the user that its address names. */
export async function onServer(server: string, statement: string): Promise<void> {
  const orm = await openOrm({ kind: 'postgresql', url: server }, silent);
  await orm.em.fork().execute(statement);
  await orm.close(true);
}

/** The address of another database on the same server. */
export function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
