import { callbackify } from 'node:util';
import session, { type SessionData } from 'express-session';
import type { Logger } from 'pino';
import type { User } from '../../../shared/session.ts';
import { sqlStates } from '../../postgres/sql-states.ts';
import { type Client, callFunction } from '../native-client.ts';
import { storableValue } from '../values.ts';
import type { OutageDetector } from './outage.ts';

/** `person` is the current user, or null if they are suspended. `now` is the database's clock, in milliseconds. */
type StoredSession = { session: SessionData; person: User | null; now: number };

export type SessionStore = ReturnType<typeof createSessionStore>;

type Operations = {
  read(id: string): Promise<SessionData | undefined>;
  write(id: string, data: SessionData): Promise<void>;
  remove(id: string): Promise<void>;
};

/**
 * Stores sessions in PostgreSQL. One statement reads a session and its user, because every request of a signed-in user needs
 * both. Saving a session that has ended has no effect, so a request that is still in flight cannot undo a sign-out.
 */
export function createSessionStore({ readClient, writeClient }: { readClient: Client; writeClient: Client }) {
  const operations: Operations = {
    async read(id) {
      const found = await callFunction<StoredSession | null>(readClient, 'find_session', { session_id: id });
      return found ? { ...found.session, loaded: { user: found.person, at: found.now } } : undefined;
    },

    async write(id, { loaded, ...data }) {
      // PostgreSQL rejects JSON with characters that its text type cannot hold.
      const stored = JSON.stringify(storableValue(JSON.parse(JSON.stringify(data))));
      // The database adds this to its own clock, because the clocks of the instances can differ.
      const lifetimeMilliseconds = data.cookie.originalMaxAge;
      if (loaded !== undefined) {
        const update = `update sessions set sess = $2, expire = now() + $3 * interval '1 ms' where sid = $1`;
        await writeClient.query(update, [id, stored, lifetimeMilliseconds]);
        return;
      }
      const created = await callFunction<boolean>(writeClient, 'begin_session', { session_id: id, session: stored });
      if (!created) throw new Error('The user of the new session is deleted or suspended.');
    },

    async remove(id) {
      await writeClient.query('delete from sessions where sid = $1', [id]);
    },
  };

  return Object.assign(asExpressStore(operations), {
    /** Returns a store that retries while the database is unavailable, as `retryWhileUnavailable` describes. */
    retrying({ retry }: Pick<OutageDetector, 'retry'>, signals: readonly AbortSignal[]): session.Store {
      const { read, write, remove } = operations;
      return asExpressStore({
        read: (id) => retry(() => read(id), signals),
        write: (id, data) => retry(() => write(id, data), signals),
        remove: (id) => retry(() => remove(id), signals),
      });
    },

    async findActive(ids: readonly string[]): Promise<Set<string>> {
      const { rows } = await readClient.query<{ sid: string }>(
        `select sid from sessions where sid in (select json_array_elements_text($1))`,
        [JSON.stringify(ids)],
      );
      return new Set(rows.map(({ sid }) => sid));
    },

    async prune(): Promise<void> {
      await writeClient.query('delete from sessions where expire < now()', []);
    },
  });
}

/** Has no `touch`, which express-session would call at the end of each response. `auth/sessions.ts` renews sessions instead. */
function asExpressStore({ read, write, remove }: Operations): session.Store {
  // Created once, because `callbackify` is slow and every request of a signed-in user reads a session.
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
  })();
}

/** express-session interprets ENOENT, which a missing Unix socket causes, as a missing session. */
function withoutEnoent(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  const code = sqlStates.sqlclientUnableToEstablishSqlconnection;
  return Object.assign(new Error(error.message, { cause: error }), { code });
}

const pruningIntervalMilliseconds = 15 * 60 * 1000;

export function startPruningSessions(store: SessionStore, logger: Logger): () => void {
  const timer = setInterval(() => {
    store.prune().catch((error) => logger.warn({ err: error }, 'failed to delete expired sessions'));
  }, pruningIntervalMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
