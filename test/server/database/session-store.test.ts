import { promisify } from 'node:util';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import session, { type SessionData } from 'express-session';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const hour = 60 * 60 * 1000;

/** A session of somebody, as express-session hands it to its store. */
function sessionFor(userId: string, lifetimeMilliseconds = hour): SessionData {
  const cookie = new session.Cookie();
  cookie.originalMaxAge = lifetimeMilliseconds;
  cookie.expires = new Date(Date.now() + lifetimeMilliseconds);
  return { cookie, userId, renewedAt: 1, returnTo: '/chat' };
}

describe('the session store', () => {
  let storage: TestDatabase;
  let clock: Clock;

  before(async () => {
    storage = await createTestDatabase();
  });
  beforeEach(() => {
    clock = install({ toFake: ['Date'], now: Date.now() });
  });
  afterEach(() => clock.uninstall());
  after(() => storage.close());

  const set = (id: string, data: SessionData) =>
    promisify(storage.database.sessionStore.set.bind(storage.database.sessionStore))(id, data);
  const get = (id: string) => promisify(storage.database.sessionStore.get.bind(storage.database.sessionStore))(id);
  const destroy = (id: string) =>
    promisify(storage.database.sessionStore.destroy.bind(storage.database.sessionStore))(id);
  const prune = () => promisify(storage.database.sessionStore.pruneSessions.bind(storage.database.sessionStore))();
  const stored = async () => (await storage.rows('select sid from sessions order by sid')).map(({ sid }) => sid);

  it('gives back what was set, and by its own id alone', async () => {
    await set('a', sessionFor('avery'));
    await set('b', sessionFor('casey'));
    expect(await get('a')).to.include({ userId: 'avery', renewedAt: 1, returnTo: '/chat' });
    expect(await get('b')).to.include({ userId: 'casey' });
    for (const id of ['unknown', '', "' or true --", 'A']) expect(await get(id)).to.equal(undefined);
  });

  it('replaces what was set before, and gives it its new lifetime', async () => {
    await set('a', sessionFor('avery'));
    clock.tick(hour - 1000);
    await set('a', sessionFor('avery again'));
    clock.tick(hour - 1000);
    expect(await get('a')).to.include({ userId: 'avery again' });
  });

  it('takes any text, and gives back U+FFFD for what PostgreSQL cannot hold', async () => {
    await set('a', { ...sessionFor('avery'), returnTo: '/chat?\0 \uD800 \u{1F600}' });
    expect(await get('a')).to.include({ userId: 'avery', returnTo: '/chat?\uFFFD \uFFFD \u{1F600}' });
  });

  it('gives with a session the person whose it is, as they are now', async () => {
    const { people } = storage.database;
    const avery = await people.signIn({ provider: 'google', subject: 'avery', name: 'Avery', email: 'a@example.com' });
    await set('a', { ...sessionFor(avery.id), returnTo: '\0","userId":"casey' });
    expect((await get('a'))?.person?.()).to.deep.equal(avery);
    await storage.rows("update users set name = 'Avery Example' where id = ?", [avery.id]);
    expect((await get('a'))?.person?.()).to.deep.equal({ ...avery, name: 'Avery Example' });
  });

  it('gives nobody with a session of somebody who is gone, or of nobody yet', async () => {
    const { userId: _, ...unsigned } = sessionFor('gone');
    await set('a', sessionFor('gone'));
    await set('b', unsigned as SessionData);
    for (const id of ['a', 'b']) expect((await get(id))?.person?.()).to.equal(null);
  });

  it('does not store the person', async () => {
    await set('a', { ...sessionFor('avery'), person: () => null });
    expect(await storage.rows("select sess -> 'person' as person from sessions where sid = 'a'")).to.deep.equal([
      { person: null },
    ]);
  });

  it('knows a destroyed session no more', async () => {
    await set('a', sessionFor('avery'));
    await destroy('a');
    expect(await get('a')).to.equal(undefined);
    await destroy('a');
  });

  it('knows an expired session no more, and prunes it, and no other', async () => {
    await storage.rows('delete from sessions');
    await set('short', sessionFor('avery', hour));
    await set('long', sessionFor('casey', 2 * hour));
    clock.tick(hour + 1000);
    expect(await get('short')).to.equal(undefined);
    expect(await stored()).to.deep.equal(['long', 'short']);
    await prune();
    expect(await stored()).to.deep.equal(['long']);
    expect(await get('long')).to.include({ userId: 'casey' });
  });

  it('prunes expired sessions by itself, every quarter of an hour or so, until it is closed', async () => {
    clock.uninstall();
    clock = install({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldClearNativeTimers: true, now: Date.now() });
    await using own = await createTestDatabase();
    const { sessionStore } = own.database;
    const expire = async () => {
      await promisify(sessionStore.set.bind(sessionStore))('a', sessionFor('avery', -hour));
      expect(await own.rows('select sid from sessions')).to.have.length(1);
    };
    await promisify(sessionStore.get.bind(sessionStore))('unknown');
    for (let round = 0; round < 2; round += 1) {
      await expire();
      await eventually(async () => {
        clock.tick(hour / 8);
        return (await own.rows('select sid from sessions')).length === 0 ? true : undefined;
      });
    }
    await sessionStore.close();
    await expire();
    clock.tick(2 * hour);
    expect(await own.rows('select sid from sessions')).to.have.length(1);
  });

  it('fails, rather than knowing nobody, when the database does', async () => {
    await using broken = await createTestDatabase();
    await broken.rows('drop table sessions');
    const { sessionStore } = broken.database;
    const error = await new Promise((resolve) => sessionStore.get('a', resolve));
    expect(error).to.be.instanceOf(Error);
  });
});
