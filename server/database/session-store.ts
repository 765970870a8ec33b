import { callbackify } from 'node:util';
import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session, { type SessionData, type Store } from 'express-session';
import type { Logger } from 'pino';
import type { Client } from './client.ts';
import { type Person, personAsJson } from './people.ts';
import { storable } from './storable.ts';

/**
 * Sessions in the same database, over the ORM's own connections. Whose a session is comes with it: every request of
 * somebody signed in begins with that one statement.
 */
export function createSessionStore(client: Client, logger: Logger) {
  async function read(id: string): Promise<SessionData | undefined> {
    const { rows } = await client.query<{ sess: SessionData; person: Person | null }>(
      `select sess, case when users.id is not null then ${personAsJson} end as person
         from sessions
         left join users on users.id = sess ->> 'userId'
         left join organizations on organizations.id = org_id
        where sid = $1 and expire >= to_timestamp($2)`,
      [id, Date.now() / 1000],
    );
    const [row] = rows;
    return row && { ...row.sess, person: () => row.person };
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
