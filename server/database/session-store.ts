import { callbackify, promisify } from 'node:util';
import session, { type SessionData } from 'express-session';
import type { Logger } from 'pino';
import type { User } from '../../shared/session.ts';
import { type Client, callFunction } from './client.ts';
import type { Outage } from './outage.ts';
import { storable } from './values.ts';

/** A session with its person as they are now, and the database's clock. */
type Found = { session: SessionData; person: User | null; now: number };

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Sessions in the same database, over the ORM's own connections. One statement reads a session and its person, and every
 * request of a signed-in person begins with it. Saving a session that has ended does nothing: a person who signed out
 * stays out, even if one of their requests ends later.
 *
 * It has no `touch`: the guard renews cookie and row together, once a day, never at the end of a streamed reply.
 */
export function createSessionStore(client: Client) {
  async function read(id: string): Promise<SessionData | undefined> {
    const found = await callFunction<Found | null>(client, 'find_session', { session_id: id });
    return found ? { ...found.session, person: () => found.person, readAt: () => found.now } : undefined;
  }

  async function write(id: string, data: SessionData): Promise<void> {
    // PostgreSQL cannot read JSON text that holds characters which its own texts cannot.
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

  async function remove(id: string): Promise<void> {
    await client.query('delete from sessions where sid = $1', [id]);
  }

  // Made once, because every request of a signed-in person reads a session and `callbackify` is slow.
  const [get, set, destroy] = [callbackify(read), callbackify(write), callbackify(remove)];

  return new (class extends session.Store {
    override get(id: string, done: (error: unknown, found?: SessionData) => void): void {
      get(id, (error, found) => done(error && withoutEnoent(error), found));
    }

    override set(id: string, data: SessionData, done: (error?: unknown) => void = () => undefined): void {
      set(id, data, done);
    }

    override destroy(id: string, done: (error?: unknown) => void = () => undefined): void {
      destroy(id, done);
    }

    /** Which of these sessions have not been ended. */
    async living(ids: readonly string[]): Promise<Set<string>> {
      const { rows } = await client.query<{ sid: string }>(
        `select sid from sessions where sid in (select json_array_elements_text($1))`,
        [JSON.stringify(ids)],
      );
      return new Set(rows.map(({ sid }) => sid));
    }

    /** Deletes expired sessions, by the database's clock. */
    async prune(): Promise<void> {
      await client.query('delete from sessions where expire < now()', []);
    }
  })();
}

/** SQLSTATE: no connection could be established. */
const unableToConnect = '08001';

/** express-session takes ENOENT, the code of a Unix socket that does not exist, for a session that does not exist. */
function withoutEnoent(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: unableToConnect });
}

/** The sessions of `store` for requests that wait for an unavailable database, until one of `signals` aborts. */
export function createRetryingSessionStore(
  store: session.Store,
  outage: Pick<Outage, 'retry'>,
  signals: readonly AbortSignal[],
): session.Store {
  const read = promisify(store.get.bind(store));
  const write = promisify(store.set.bind(store));
  const remove = promisify(store.destroy.bind(store));
  const get = callbackify((id: string) => outage.retry(() => read(id), signals));
  const set = callbackify((id: string, data: SessionData) => outage.retry(() => write(id, data), signals));
  const destroy = callbackify((id: string) => outage.retry(() => remove(id), signals));

  return new (class extends session.Store {
    override get(id: string, done: (error: unknown, found?: SessionData | null) => void): void {
      get(id, done);
    }

    override set(id: string, data: SessionData, done: (error?: unknown) => void = () => undefined): void {
      set(id, data, done);
    }

    override destroy(id: string, done: (error?: unknown) => void = () => undefined): void {
      destroy(id, done);
    }
  })();
}

const pruningMilliseconds = 15 * 60 * 1000;

/** Deletes expired sessions every quarter of an hour. Returns a function that ends it. */
export function startPruningSessions(store: SessionStore, logger: Logger): () => void {
  const timer = setInterval(() => {
    store.prune().catch((error) => logger.warn({ err: error }, 'expired sessions cannot be pruned'));
  }, pruningMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
