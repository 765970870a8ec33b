import type { Logger } from 'pino';
import { createAdministration } from './administration.ts';
import { nativeClient } from './client.ts';
import { createEngagements } from './engagements.ts';
import { migrate } from './migrations.ts';
import { asOwner, type DatabaseSettings, type Orm, openOrm, type PostgreSqlSettings, unhurried } from './orm.ts';
import { createPeople } from './people.ts';
import { grantServing } from './serving-login.ts';
import { createSessionStore } from './session-store.ts';
import { type AroundCall, tracedClient } from './traced-client.ts';
import { createTurns } from './turns.ts';

/** Opens the database, brings its schema up to date and gives the repositories on it. */
export async function openDatabase(
  settings: DatabaseSettings,
  logger: Logger,
  aroundCall?: AroundCall,
): Promise<Database> {
  if (settings.kind === 'postgresql') await migrateServer(settings, logger);
  const orm = await openOrm(settings, logger);
  try {
    if (settings.kind === 'embedded') await migrate(orm, { shared: false });
    return await createDatabase(orm, logger, aroundCall);
  } catch (error) {
    await orm.close(true);
    throw error;
  }
}

/** Over a connection without time limits: a large table's migration, or another instance's, takes as long as it takes. */
async function migrateServer(settings: PostgreSqlSettings, logger: Logger): Promise<void> {
  const orm = await openOrm(asOwner(settings), logger, unhurried);
  try {
    await migrate(orm, { shared: true });
    const serving = loginOf(settings.url);
    if (serving !== loginOf(settings.ownerUrl ?? settings.url)) await grantServing(orm, serving);
  } finally {
    await orm.close(true);
  }
}

function loginOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

/** What the operator's commands do, over the owner's login. It changes no schema. */
export async function openAdministration(settings: DatabaseSettings, logger: Logger, operator: string) {
  const orm = await openOrm(asOwner(settings), logger, unhurried);
  return { administration: createAdministration(orm, operator), close: () => orm.close(true) };
}

/** The repositories on a migrated database; `close` also closes the connection below them. */
export async function createDatabase(orm: Orm, logger: Logger, aroundCall?: AroundCall) {
  const native = await nativeClient(orm);
  const client = aroundCall === undefined ? native : tracedClient(native, aroundCall);
  const sessionStore = createSessionStore(client, logger);
  return {
    people: createPeople(client),
    turns: createTurns(client),
    engagements: createEngagements(orm),
    sessionStore,
    /** Rejects where the database does not answer. */
    async ping(): Promise<void> {
      await orm.em.fork().execute('select 1');
    },
    /** Its connections, and the statements that wait for one. The embedded database has one, and a queue of its own. */
    get pool() {
      const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = client;
      return { size: options?.max ?? 1, inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    },
    async close(): Promise<void> {
      await sessionStore.close();
      await orm.close(true);
    },
  };
}

export type Database = Awaited<ReturnType<typeof createDatabase>>;
