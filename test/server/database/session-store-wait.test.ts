import { promisify } from 'node:util';
import { expect } from 'chai';
import session, { type SessionData } from 'express-session';
import { describe, it } from 'mocha';
import type { Client } from '../../../server/database/client.ts';
import { createOutage } from '../../../server/database/outage.ts';
import { createSessionStore } from '../../../server/database/session-store.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { closing } from '../../support/closing.ts';

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const logger = createLogger({ level: 'silent' });

describe('the session store, while the database has just gone', () => {
  it('finds and renews a session after all for a request that waits', async () => {
    let statements = 0;
    /** Every other statement is lost. */
    const client: Client = {
      async query() {
        statements += 1;
        if (statements % 2 === 1) throw lost;
        return { rows: [{ result: { session: { userId: 'avery' }, person: null } }] as never[] };
      },
    };
    await using store = closing(createSessionStore(client, logger, createOutage({ logger })));
    const pause = async () => undefined;
    const found = await store.waitingFor(pause, () => promisify(store.get.bind(store))('one'));
    expect(found).to.include({ userId: 'avery' });
    const cookie = new session.Cookie();
    cookie.expires = new Date(Date.now() + 60_000);
    const renewed: SessionData = { cookie, userId: 'avery', renewedAt: 1, person: () => null };
    await store.waitingFor(pause, () => promisify(store.set.bind(store))('one', renewed));
    expect(statements).to.equal(4);
  });
});
