import { callbackify } from 'node:util';
import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session, { type SessionData, type Store } from 'express-session';
import type { Logger } from 'pino';
import { type Client, callFunction } from './client.ts';
import type { Person } from './people.ts';
import { storable } from './storable.ts';

type Found = { session: SessionData; person: Person | null };

/**
 * Sessions in the same database, over the ORM's own connections. Whose a session is comes with it: every request of
 * somebody signed in begins with that one statement.
 */
export function createSessionStore(client: Client, logger: Logger) {
  async function read(id: string): Promise<SessionData | undefined> {
    const found = await callFunction<Found | null>(client, 'find_session', {
      session_id: id,
      unix_seconds: Date.now() / 1000,
    });
    return found ? { ...found.session, person: () => found.person } : undefined;
  }

  class SessionStore extends connectPgSimple(session) {
    override get = callbackify(read);

    // PostgreSQL reads nothing from a JSON text that holds what its own texts cannot.
    override set(...[id, data, done]: Parameters<Store['set']>): void {
      super.set(id, storable(JSON.parse(JSON.stringify(data))) as SessionData, done);
    }
  }

  return new SessionStore({
    // The store uses `query` alone.
    pool: client as NonNullable<PGStoreOptions['pool']>,
    tableName: 'sessions',
    // The cookie and the row are renewed together, by the guard: once a day, never at the end of a streamed reply.
    disableTouch: true,
    errorLog: (message: string, error: Error) => logger.warn({ err: error }, message),
  });
}
