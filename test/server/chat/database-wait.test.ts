import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Database } from '../../../server/database/database.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('a live turn with budgets during a database outage', () => {
  /** Hooks that can throw: before a question is stored, after it, and before an answer is stored. */
  let beforeOpen: () => void;
  let afterOpen: () => void;
  let beforeClose: () => void;

  const storage = perSuite(() => createTestDatabase());
  const startApp = () => {
    const { turns } = storage.database;
    const unreliable: Database['turns'] = {
      ...turns,
      async openWithinBudgets(...parameters) {
        beforeOpen();
        const opened = await turns.openWithinBudgets(...parameters);
        afterOpen();
        return opened;
      },
      async close(...parameters) {
        beforeClose();
        await turns.close(...parameters);
      },
    };
    return createTestApp({
      lateAfterMilliseconds: 200,
      shared: { storage },
      database: { ...storage.database, turns: unreliable },
      tokensPerDay: { user: 1_000_000, organization: 1_000_000 },
    });
  };
  const app = perSuite(startApp);
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    beforeOpen = afterOpen = beforeClose = () => undefined;
    await storage.rows('delete from conversations');
    await storage.rows('delete from token_uses');
  });

  const failing = (times: number) => {
    let remaining = times;
    return () => {
      remaining -= 1;
      if (remaining >= 0) throw lost;
    };
  };
  const stored = async () =>
    (await storage.rows('select role, content from chat_messages order by position')).map(({ content }) => content);

  for (const [when, failures] of [
    ['did not reach the database', { beforeOpen: 2, afterOpen: 0 }],
    ['was stored, but the database’s response was lost', { beforeOpen: 0, afterOpen: 2 }],
  ] as const) {
    it(`is answered and stores its question exactly once if the question ${when}`, async () => {
      beforeOpen = failing(failures.beforeOpen);
      afterOpen = failing(failures.afterOpen);
      const response = await app.live(avery, question('Where?'));
      expect(response.status).to.equal(200);
      expect(await response.text()).to.equal(defaultReply.text);
      expect(await stored()).to.deep.equal(['Where?', defaultReply.text]);
      expect(app.provider.requests).to.have.length(1);
      const [conversation, ...others] = await storage.rows('select id from conversations');
      expect(others).to.deep.equal([]);
      expect(response.headers.get('x-conversation-id')).to.equal(conversation?.id);
      expect(await storage.rows('select settled from token_uses')).to.deep.equal([{ settled: true }]);
    });
  }

  it('stores its question after the answer of the previous turn, which was still pending', async () => {
    let isAway = true;
    let failedOpens = 0;
    let failedCloses = 0;
    beforeClose = () => {
      if (!isAway) return;
      failedCloses += 1;
      throw lost;
    };
    const first = await app.live(avery, question('One?'));
    await first.text();
    // The answer is now retried less often than the next question.
    await eventually(() => failedCloses >= 3 || undefined);
    const conversationId = first.headers.get('x-conversation-id');
    beforeOpen = () => {
      if (!isAway) return;
      failedOpens += 1;
      throw lost;
    };
    const second = app.live(avery, { ...question('Two?'), conversationId });
    // The next attempt to store the question first retries the answer.
    await eventually(() => failedOpens > 0 || undefined);
    isAway = false;
    expect(await (await second).text()).to.equal(defaultReply.text);
    await eventually(() => app.lateWrites.status().late === 0 || undefined);
    expect(await stored()).to.deep.equal(['One?', defaultReply.text, 'Two?', defaultReply.text]);
    expect(await storage.rows('select settled from token_uses')).to.deep.equal([{ settled: true }, { settled: true }]);
  });

  for (const [title, act, status] of [
    ['the shutdown begins', ({ draining }) => draining.abort(), 503],
    ['its client disconnects', ({ connections }) => connections.closeAll(), undefined],
  ] as [string, (app: TestApp) => void, number | undefined][]) {
    it(`makes no further attempt once ${title}`, async () => {
      await using waiting = await startApp();
      let failedOpens = 0;
      beforeOpen = () => {
        failedOpens += 1;
        throw lost;
      };
      const response = waiting.live(avery, question()).catch(() => undefined);
      await eventually(() => failedOpens > 0 || undefined);
      act(waiting);
      expect((await response)?.status).to.equal(status);
      await waiting.requests.allFinished();
      // Twenty if it is retried for ten seconds.
      expect(failedOpens).to.be.below(10);
    });
  }
});
