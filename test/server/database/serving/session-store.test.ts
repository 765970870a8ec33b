import { promisify } from 'node:util';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import session, { type SessionData } from 'express-session';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Client } from '../../../../server/database/native-client.ts';
import { createOutageDetector, isUnavailable } from '../../../../server/database/serving/outage.ts';
import {
  createSessionStore,
  type SessionStore,
  startPruningSessions,
} from '../../../../server/database/serving/session-store.ts';
import { createLogger } from '../../../../server/http/logger.ts';
import { auditSource, signIn } from '../../../support/people.ts';
import { perSuite } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { refusal } from '../scenes.ts';

const hour = 60 * 60 * 1000;

function sessionFor(userId: string, lifetimeMilliseconds = hour): SessionData {
  const cookie = new session.Cookie();
  cookie.originalMaxAge = lifetimeMilliseconds;
  cookie.expires = new Date(Date.now() + lifetimeMilliseconds);
  return { cookie, userId, begunAt: 1, renewedAt: 1 };
}

const callsOf = (store: Pick<SessionStore, 'get' | 'set'>) => ({
  get: promisify(store.get.bind(store)),
  set: promisify(store.set.bind(store)),
});

describe('the session store', () => {
  const storage = perSuite(() => createTestDatabase());
  const avery = perSuite(() => signIn(storage.database, { subject: 'avery', name: 'Avery', email: 'a@example.com' }));
  const casey = perSuite(() => signIn(storage.database, { subject: 'casey', name: 'Casey', email: null }));

  const set = (id: string, data: SessionData) => callsOf(storage.database.sessionStore).set(id, data);
  const get = (id: string) => callsOf(storage.database.sessionStore).get(id);
  const prune = () => storage.database.sessionStore.prune();
  const stored = async () => (await storage.rows('select sid from sessions order by sid')).map(({ sid }) => sid);

  /** Adds the user, as `get` adds it to a stored session. */
  const loaded = (data: SessionData): SessionData => ({ ...data, loaded: { user: null, at: 1 } });

  it('returns a session only by its own id', async () => {
    await set('a', sessionFor(avery.id));
    await set('b', sessionFor(casey.id));
    expect(await get('a')).to.include({ userId: avery.id });
    expect(await get('b')).to.include({ userId: casey.id });
    for (const id of ['unknown', '', "' or true --", 'A']) expect(await get(id)).to.equal(undefined);
  });

  it('does not store the user and the read time that it adds to a session when it returns one', async () => {
    await set('loaded', sessionFor(avery.id));
    const data = await get('loaded');
    expect(data?.loaded?.user).to.include({ id: avery.id });
    expect(data?.loaded?.at).to.be.a('number');
    await set('loaded', loaded(sessionFor(avery.id)));
    const [row] = await storage.rows(`select sess from sessions where sid = 'loaded'`);
    expect(row?.sess).to.have.all.keys('cookie', 'userId', 'begunAt', 'renewedAt');
  });

  it('does not restore a session that ended after it was loaded, however late it is saved', async () => {
    await set('ended', sessionFor(avery.id));
    await storage.database.users.signOut(avery.id, 'ended', auditSource);
    await set('ended', loaded(sessionFor(avery.id)));
    expect(await get('ended')).to.equal(undefined);
    await set('deleted', sessionFor(avery.id));
    await storage.rows("delete from sessions where sid = 'deleted'");
    await set('deleted', loaded(sessionFor(avery.id)));
    expect(await get('deleted')).to.equal(undefined);
  });

  it('creates no session for a suspended or deleted user', async () => {
    const drew = await signIn(storage.database, { subject: 'drew', name: 'Drew', email: null });
    await storage.administration.suspendUser(drew.id);
    for (const userId of [drew.id, 'nobody']) {
      const error = await refusal(set('of nobody', sessionFor(userId)));
      expect(error.message).to.equal('The user of the new session is deleted or suspended.');
      expect(await get('of nobody')).to.equal(undefined);
    }
  });

  it('returns no user for the session of a suspended user', async () => {
    const drew = await signIn(storage.database, { subject: 'drew 3', name: 'Drew', email: null });
    await set('suspended', sessionFor(drew.id));
    await storage.rows('update users set suspended_at = now() where id = ?', [drew.id]);
    expect((await get('suspended'))?.loaded?.user).to.equal(null);
  });

  it('limits a user to a hundred sessions by ending the oldest', async () => {
    await storage.rows('delete from sessions');
    await set('of another person', sessionFor(casey.id, hour / 2));
    for (let count = 0; count < 102; count += 1) await set(`session ${count}`, sessionFor(avery.id, hour + count));
    expect(await stored())
      .to.have.length(101)
      .and.to.include('of another person');
    expect(await get('session 1')).to.equal(undefined);
    expect(await get('session 2')).to.include({ userId: avery.id });
  });

  it('does not return an expired session, and prunes only expired ones', async () => {
    await storage.rows('delete from sessions');
    await set('short', sessionFor(avery.id, hour));
    await set('long', sessionFor(casey.id, 2 * hour));
    await storage.rows("update sessions set expire = now() - interval '1 second' where sid = 'short'");
    expect(await get('short')).to.equal(undefined);
    expect(await stored()).to.deep.equal(['long', 'short']);
    await prune();
    expect(await stored()).to.deep.equal(['long']);
    expect(await get('long')).to.include({ userId: casey.id });
  });
});

describe('startPruningSessions', () => {
  let clock: Clock;
  let store: SessionStore;
  let logged: string[];
  let stop: () => void;

  beforeEach(() => {
    clock = install({ toFake: ['setInterval', 'clearInterval'], shouldClearNativeTimers: true });
    logged = [];
  });
  afterEach(() => {
    stop();
    clock.uninstall();
  });

  function start(client: Client): void {
    store = createSessionStore({ readClient: client, writeClient: client });
    stop = startPruningSessions(store, createLogger({ level: 'info' }, { write: (line) => void logged.push(line) }));
  }

  it('prunes every fifteen minutes until it is stopped', async () => {
    let statements = 0;
    start({
      async query() {
        statements += 1;
        return { rows: [] };
      },
    });
    await clock.tickAsync(hour);
    expect(statements).to.equal(4);
    stop();
    await clock.tickAsync(hour);
    expect(statements).to.equal(4);
  });

  it('logs a failure and continues', async () => {
    start({ query: () => Promise.reject(new Error('The database refuses.')) });
    await clock.tickAsync(hour / 2);
    expect(logged).to.have.length(2);
    expect(logged[0]).to.include('failed to delete expired sessions');
  });
});

describe("the session store if the server's Unix socket does not exist", () => {
  it('fails with a code that express-session does not interpret as a missing session', async () => {
    const missing = Object.assign(new Error('connect ENOENT /run/postgresql/.s.PGSQL.5432'), { code: 'ENOENT' });
    const client = { query: () => Promise.reject(missing) };
    const store = createSessionStore({ readClient: client, writeClient: client });
    const error = await refusal(callsOf(store).get('one'));
    expect(error).to.include({ message: missing.message, code: '08001' });
    expect(isUnavailable(error)).to.equal(true);
  });
});

describe('a retrying session store', () => {
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  let clock: Clock;
  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'performance'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  /** Rejects every other statement with ECONNRESET. */
  function createFlakyClient() {
    let statements = 0;
    const client: Client = {
      async query() {
        statements += 1;
        if (statements % 2 === 1) throw lost;
        return { rows: [{ result: { session: { userId: 'avery' }, person: null } }] as never[] };
      },
    };
    return client;
  }

  function waitingStore(client: Client, signals: readonly AbortSignal[] = []) {
    const outage = createOutageDetector(createLogger({ level: 'silent' }));
    return createSessionStore({ readClient: client, writeClient: client }).retrying(outage, signals);
  }

  it('reads and renews a session once the database is available again', async () => {
    const store = waitingStore(createFlakyClient());
    const found = callsOf(store).get('one');
    await clock.tickAsync(500);
    expect(await found).to.include({ userId: 'avery' });
    const renewed = callsOf(store).set('one', { ...sessionFor('avery'), loaded: { user: null, at: 1 } });
    await clock.tickAsync(500);
    await renewed;
  });

  it('rejects with UPSTREAM_OVERLOADED once a signal aborts', async () => {
    const draining = new AbortController();
    const store = waitingStore({ query: () => Promise.reject(lost) }, [draining.signal]);
    const error = refusal(callsOf(store).get('one'));
    draining.abort();
    await clock.tickAsync(500);
    expect(await error).to.include({ code: 'UPSTREAM_OVERLOADED' });
  });
});
