import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { type CachedRequest, createPromptCache } from '../../support/prompt-cache.ts';
import type { SentBody } from '../../support/scripted-provider.ts';
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
  async function converse(turns: number, onTurn: (turn: number) => unknown = () => undefined) {
    const avery = await app.person();
    const messages: { role: string; content: string }[] = [];
    let conversationId: string | null = null;
    for (let turn = 1; turn <= turns; turn += 1) {
      clock.tick(minute);
      await onTurn(turn);
      app.provider.answerWith({ steps: [{ text: answer(turn) }] });
      messages.push({ role: 'user', content: question(turn) });
      const response = await app.live(avery, { messages, ...(conversationId !== null && { conversationId }) });
      messages.push({ role: 'assistant', content: await response.text() });
      conversationId = response.headers.get('X-Conversation-Id');
    }
    return app.provider.requests.map(({ body }) => body);
  }

  it('begins each turn with the bytes of the turn before', async () => {
    const bodies = await converse(4);
    const prefixes = bodies.map((body) => JSON.stringify([body.system, ...blocksOf(body)]).slice(0, -1));
    for (const [index, prefix] of prefixes.entries()) {
      expect(prefix.startsWith(prefixes[index - 1] ?? ''), `turn ${index + 1}`).to.equal(true);
    }
  });

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

  it('keeps what is the same for everyone, and for a person, when the engagement changes', async () => {
    const [first, second] = await converse(2, async (turn) => {
      if (turn === 2) await app.storage.rows(`update engagement_states set week = 2`);
    });
    expect(changedLayers(first, second)).to.deep.equal([6]);
  });

  it('keeps all but the last layer when a new day begins', async () => {
    const [first, second] = await converse(2, (turn) => {
      if (turn === 2) clock.tick(24 * 60 * minute);
    });
    expect(changedLayers(first, second)).to.deep.equal([8]);
  });
});

describe('the provider’s prompt cache, as it is accounted for', () => {
  const marked = { cache_control: { type: 'ephemeral' } };
  const long = (name: string) => `${name} ${'x'.repeat(6000)}`;
  const request = (...texts: string[]): CachedRequest => ({
    messages: texts.map((text, index) => ({
      role: 'user',
      content: [{ text, ...(index === texts.length - 1 && marked) }],
    })),
  });

  it('reads what was written, for five minutes after the last time', () => {
    const cache = createPromptCache();
    const { written } = cache.take(request(long('a')), 0);
    expect(cache.take(request(long('a')), 4 * minute)).to.include({ read: written, written: 0 });
    expect(cache.take(request(long('a')), 8 * minute)).to.include({ read: written, written: 0 });
    expect(cache.take(request(long('a')), 13 * minute)).to.include({ read: 0, written });
  });

  it('prices reading at a tenth and writing at one and a quarter', () => {
    const cache = createPromptCache();
    const { written, cost } = cache.take(request(long('a')), 0);
    expect(cost).to.equal(written * 1.25);
    expect(cache.take(request(long('a')), 1).cost).to.be.closeTo(written * 0.1, 1e-9);
  });

  it('reads nothing where a byte has changed before the breakpoint', () => {
    const cache = createPromptCache();
    cache.take(request(long('a'), long('b')), 0);
    expect(cache.take(request(long('A'), long('b')), 1).read).to.equal(0);
  });

  it('keeps nothing under 1,024 tokens', () => {
    const cache = createPromptCache();
    expect(cache.take(request('x'.repeat(4 * 1023)), 0)).to.include({ written: 0, plain: 1023 });
    expect(cache.take(request('x'.repeat(4 * 1024)), 0)).to.include({ written: 1024, plain: 0 });
  });

  it('looks for what it may read in the twenty blocks up to a breakpoint', () => {
    const cache = createPromptCache();
    cache.take(request(long('a')), 0);
    const more = (count: number) => Array.from({ length: count }, (_, index) => `more ${index}`);
    expect(cache.take(request(long('a'), ...more(20)), 1).read).to.equal(0);
    expect(cache.take(request(long('a'), ...more(19)), 1).read).to.be.above(0);
  });

  it('takes four breakpoints and no more', () => {
    const blocks = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ text: long(`${index}`), ...marked }));
    const cache = createPromptCache();
    cache.take({ messages: [{ role: 'user', content: blocks(4) }] }, 0);
    expect(() => cache.take({ messages: [{ role: 'user', content: blocks(5) }] }, 0)).to.throw('5 breakpoints');
  });
});

/** The messages' blocks without their breakpoints, which move and are no part of what the cache compares. */
function blocksOf({ messages }: SentBody) {
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map(({ type, text }) => ({
      role,
      type,
      text,
    })),
  );
}

/** The numbers of the layers that differ, byte for byte. */
function changedLayers(one: SentBody | undefined, other: SentBody | undefined): number[] {
  if (one === undefined || other === undefined) throw new Error('There are two turns.');
  return one.system.flatMap((layer, index) =>
    JSON.stringify(layer) === JSON.stringify(other.system[index]) ? [] : index + 1,
  );
}
