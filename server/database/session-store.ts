import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session from 'express-session';
import type { Logger } from 'pino';
import type { Client } from './client.ts';

/** Sessions in the same database, over the ORM's own connections. */
export function createSessionStore(client: Client, logger: Logger) {
  const PgStore = connectPgSimple(session);
  return new PgStore({
    // The store uses `query` alone.
    pool: client as NonNullable<PGStoreOptions['pool']>,
    tableName: 'sessions',
    // The cookie and the row are renewed together, by the guard: once a day, never at the end of a streamed reply.
    disableTouch: true,
    errorLog: (message: string, error: Error) => logger.warn({ err: error }, message),
  });
}
