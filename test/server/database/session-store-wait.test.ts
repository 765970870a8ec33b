import { promisify } from 'node:util';
import { expect } from 'chai';
import session, { type SessionData } from 'express-session';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Client } from '../../../server/database/client.ts';
import { createOutage } from '../../../server/database/outage.ts';
import { createSessionStore } from '../../../server/database/session-store.ts';
import { createLogger } from '../../../server/http/logger.ts';

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const logger = createLogger({ level: 'silent' });

describe('the session store, while the database has just gone', () => {
  let failures: number;
  let statements: number;
  let store: ReturnType<typeof createSessionStore>;

  beforeEach(() => {
    failures = 1;
    statements = 0;
    const client: Client = {
      async query() {
        statements += 1;
        failures -= 1;
        if (failures >= 0) throw lost;
        return { rows: [{ result: { session: { userId: 'avery' }, person: null } }] as never[] };
      },
    };
    store = createSessionStore(client, logger, createOutage({ logger }));
  });
  afterEach(() => store.close());

  const pause = async () => undefined;
  const get = () => promisify(store.get.bind(store))('one');

  it('finds a session after all for a request that waits', async () => {
    expect(await store.waitingFor(pause, get)).to.include({ userId: 'avery' });
    expect(statements).to.equal(2);
  });

  it('renews a session after all for a request that waits', async () => {
    const cookie = new session.Cookie();
    cookie.expires = new Date(Date.now() + 60_000);
    const data: SessionData = { cookie, userId: 'avery', renewedAt: 1, person: () => null };
    await store.waitingFor(pause, () => promisify(store.set.bind(store))('one', data));
    expect(statements).to.equal(2);
  });
});
