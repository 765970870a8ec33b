import { AsyncLocalStorage } from 'node:async_hooks';
import { callbackify } from 'node:util';
import connectPgSimple, { type PGStoreOptions } from 'connect-pg-simple';
import session, { type SessionData, type Store } from 'express-session';
import type { Logger } from 'pino';
import { type Client, callFunction } from './client.ts';
import type { Outage, Pause } from './outage.ts';
import type { Person } from './people.ts';
import { storable } from './values.ts';

type Found = { session: SessionData; person: Person | null; now: number };

const pruningMilliseconds = 15 * 60 * 1000;

/**
 * Sessions in the same database, over the ORM's own connections. One statement reads a session and its person, and every
 * request of a signed-in person begins with it. Saving a session that is gone does nothing: a person who signed out
 * stays out, even if one of their requests ends later.
 */
export function createSessionStore(client: Client, logger: Logger, outage: Pick<Outage, 'outlast'>) {
  /** How the current request waits. express-session does not say which request it asks for. */
  const pauses = new AsyncLocalStorage<Pause>();

  function outlast<T>(work: () => Promise<T>): Promise<T> {
    const pause = pauses.getStore();
    return pause === undefined ? work() : outage.outlast(work, pause);
  }

  async function read(id: string): Promise<SessionData | undefined> {
    const found = await callFunction<Found | null>(client, 'find_session', { session_id: id });
    return found ? { ...found.session, person: () => found.person, readAt: () => found.now } : undefined;
  }

  async function write(id: string, data: SessionData): Promise<void> {
    // PostgreSQL reads nothing from a JSON text that holds what its own texts cannot.
    const stored = JSON.stringify(storable(JSON.parse(JSON.stringify(data))));
    // Instances may disagree about the time, so a session ends this long after the database's own clock.
    const lifetimeMilliseconds = data.cookie.originalMaxAge;
    if (lifetimeMilliseconds === null) throw new Error('A session without an end cannot be stored.');
    if (data.person !== undefined) {
      const update = `update sessions set sess = $2, expire = now() + $3 * interval '1 ms' where sid = $1`;
      await client.query(update, [id, stored, lifetimeMilliseconds]);
      return;
    }
    const begun = await callFunction<boolean>(client, 'begin_session', { session_id: id, session: stored });
    if (!begun) throw new Error('A session is begun for somebody who is not there, or is suspended.');
  }

  class SessionStore extends connectPgSimple(session) {
    override get = callbackify((id: string) => outlast(() => read(id)));

    /** In place of the package's, which asks this process' clock what has expired. */
    override pruneSessions(done?: (error: Error) => void): void {
      callbackify(() => client.query('delete from sessions where expire < now()', []))((error) => done?.(error));
    }

    override async close(): Promise<void> {
      clearInterval(pruning);
      await super.close();
    }

    override set(...[id, data, done]: Parameters<Store['set']>): void {
      outlast(() => write(id, data)).then(
        () => done?.(),
        (error) => done?.(error),
      );
    }

    /** Does `work`: whatever it asks for its session waits for a database that has just gone. */
    waitingFor<T>(pause: Pause, work: () => T): T {
      return pauses.run(pause, work);
    }

    /** Which of these sessions have not been ended. */
    async living(ids: readonly string[]): Promise<Set<string>> {
      const { rows } = await client.query<{ sid: string }>(
        `select sid from sessions where sid in (select json_array_elements_text($1))`,
        [JSON.stringify(ids)],
      );
      return new Set(rows.map(({ sid }) => sid));
    }
  }

  const store = new SessionStore({
    // It would begin with one of the methods that are replaced here.
    pruneSessionInterval: false,
    // The store uses `query` alone.
    pool: client as NonNullable<PGStoreOptions['pool']>,
    tableName: 'sessions',
    // The cookie and the row are renewed together, by the guard: once a day, never at the end of a streamed reply.
    disableTouch: true,
    errorLog: (message: string, error: Error) => logger.warn({ err: error }, message),
  });
  const pruning = setInterval(() => {
    store.pruneSessions((error) => {
      if (error) logger.warn({ err: error }, 'expired sessions cannot be pruned');
    });
  }, pruningMilliseconds);
  pruning.unref();
  return store;
}
