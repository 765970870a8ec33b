import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session from 'express-session';
import type { Logger } from 'pino';
import type { Orm } from './orm.ts';

/** Sessions in the same database, over the ORM's own client. */
export async function createSessionStore(orm: Orm, logger: Logger) {
  const PgStore = connectPgSimple(session);
  // A pool on PostgreSQL, and the embedded database itself otherwise; the store uses their common `query` alone.
  const client = (await orm.em.getDriver().getConnection().getNativeClient()) as NonNullable<PGStoreOptions['pool']>;
  return new PgStore({
    pool: client,
    tableName: 'sessions',
    // The cookie and the row are renewed together, by the guard: once a day, never at the end of a streamed reply.
    disableTouch: true,
    errorLog: (message: string, error: Error) => logger.warn({ err: error }, message),
  });
}
