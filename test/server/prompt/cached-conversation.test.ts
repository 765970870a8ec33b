import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { createTestApp } from '../../support/test-app.ts';

/**
 * The model provider's prompt cache as its documentation describes it, to account for what a request costs.
 *
 * A request is a sequence of blocks: the system's, then the messages'. A breakpoint (`cache_control`) on a block has the
 * prefix that ends there kept for five minutes; reading it keeps it for five more. A request reads the longest prefix that is
 * kept and ends at one of the 20 blocks up to a breakpoint. What it reads costs a tenth of the input price, what lies
 * between there and its last breakpoint is written at 1.25 times the price, and the rest costs the price.
 * Prefixes under 1,024 tokens are not kept. Tokens are taken as four characters each, which is about right for English text.
 */

type Block = { text: string; cache_control?: unknown };
type Content = string | Block[];

type CachedRequest = { system?: Content; messages: { role: string; content: Content }[] };

/** Input tokens of one request, and what they cost in tokens at the plain price. */
type InputCost = { read: number; written: number; plain: number; cost: number };

const prices = { read: 0.1, written: 1.25, plain: 1 };

const lifeMilliseconds = 5 * 60 * 1000;
const minTokens = 1024;
const lookback = 20;
const maxBreakpoints = 4;
const charactersPerToken = 4;

function createPromptCache() {
  /** When each kept prefix is forgotten, by its text. */
  const forgottenAt = new Map<string, number>();

  return {
    /** Accounts for a request that arrives at `now`, in milliseconds on any clock. Throws where it has too many breakpoints. */
    take(request: CachedRequest, now: number): InputCost {
      const prefixes = prefixesOf(request);
      const breakpoints = prefixes.flatMap(({ breakpoint }, index) => (breakpoint ? index : []));
      if (breakpoints.length > maxBreakpoints) throw new Error(`The request has ${breakpoints.length} breakpoints.`);

      const isKept = (index: number) => (forgottenAt.get(prefixes[index]?.text ?? '') ?? 0) > now;
      const tokensUpTo = (index: number) => prefixes[index]?.tokens ?? 0;
      const keep = (index: number) => forgottenAt.set(prefixes[index]?.text ?? '', now + lifeMilliseconds);

      const readable = breakpoints
        .flatMap((index) => Array.from({ length: lookback }, (_, back) => index - back))
        .filter(isKept);
      const lastRead = Math.max(-1, ...readable);
      const cacheable = breakpoints.filter((index) => tokensUpTo(index) >= minTokens);
      const lastWritten = Math.max(lastRead, ...cacheable);
      for (const index of [lastRead, ...cacheable]) keep(index);

      const read = tokensUpTo(lastRead);
      const written = tokensUpTo(lastWritten) - read;
      const plain = tokensUpTo(prefixes.length - 1) - read - written;
      return { read, written, plain, cost: read * prices.read + written * prices.written + plain * prices.plain };
    },
  };
}

/** Every prefix of the request that ends with a block. */
function prefixesOf({ system = '', messages }: CachedRequest) {
  const blocks = [
    ...blocksOf(system).map((block) => ({ ...block, place: 'system' })),
    ...messages.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ ...block, place: role }))),
  ];
  let text = '';
  let characters = 0;
  return blocks.map((block) => {
    text += `${block.place}\n${block.text}\n\0`;
    characters += block.text.length;
    const tokens = Math.ceil(characters / charactersPerToken);
    return { text, tokens, breakpoint: block.cache_control !== undefined };
  });
}

function blocksOf(content: Content): Block[] {
  return typeof content === 'string' ? (content === '' ? [] : [{ text: content }]) : content;
}

const minute = 60_000;

describe('a conversation, as the provider is sent it', () => {
  let clock: Clock;

  const app = ofSuite(() => createTestApp());
  beforeEach(() => {
    app.provider.reset();
    // The prompt names the day: it changes when a test says so.
    clock = install({ now: new Date().setUTCHours(12, 0, 0, 0), toFake: ['Date'] });
  });
  afterEach(() => clock.uninstall());

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
