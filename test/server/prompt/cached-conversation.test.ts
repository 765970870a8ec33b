import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { createPromptCache } from '../../support/prompt-cache.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const minute = 60_000;

describe('a conversation, as the provider is sent it', () => {
  let app: TestApp;
  let clock: Clock;

  before(async () => {
    app = await createTestApp();
  });
  beforeEach(() => {
    app.provider.reset();
    // The prompt names the day: it changes when a test says so.
    clock = install({ now: new Date().setUTCHours(12, 0, 0, 0), toFake: ['Date'] });
  });
  afterEach(() => clock.uninstall());
  after(() => app.close());

  const question = (turn: number) => `Question ${turn}: ${'what would you look at next, and why? '.repeat(9)}`;
  const answer = (turn: number) => `Answer ${turn}: ${'begin with the one that costs least to test. '.repeat(48)}`;

  /** So many turns of one conversation, a minute apart; gives what the provider was sent for each. */
  async function converse(turns: number) {
    const avery = await app.person();
    const messages: { role: string; content: string }[] = [];
    let conversationId: string | null = null;
    for (let turn = 1; turn <= turns; turn += 1) {
      clock.tick(minute);
      app.provider.answerWith({ steps: [{ text: answer(turn) }] });
      messages.push({ role: 'user', content: question(turn) });
      const response = await app.live(avery, { messages, ...(conversationId !== null && { conversationId }) });
      messages.push({ role: 'assistant', content: await response.text() });
      conversationId = response.headers.get('X-Conversation-Id');
    }
    return app.provider.requests.map(({ body }) => body);
  }

  it('is read from the cache as far as the turn before reached, and written for the rest', async () => {
    const cache = createPromptCache();
    const costs = (await converse(4)).map((body, turn) => cache.take(body, turn * minute));
    for (const [index, cost] of costs.entries()) {
      const { read, written } = costs[index - 1] ?? { read: 0, written: 0 };
      expect(cost.read, `turn ${index + 1}`).to.equal(read + written);
      expect(cost.plain, `turn ${index + 1}`).to.equal(0);
    }
  });

  it('costs a fifth at most of what it would without a cache, over twenty turns', async () => {
    const cache = createPromptCache();
    const costs = (await converse(20)).map((body, turn) => cache.take(body, turn * minute));
    const sum = (of: (cost: (typeof costs)[number]) => number) => costs.reduce((total, cost) => total + of(cost), 0);
    const uncached = sum(({ read, written, plain }) => read + written + plain);
    expect(sum(({ cost }) => cost) / uncached).to.be.within(0.1, 0.2);
  });
});
