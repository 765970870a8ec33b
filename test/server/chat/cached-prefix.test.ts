import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { SentBody } from '../../support/scripted-provider.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

type Block = { place: string; text: string; breakpoint: boolean };

/** A request as the provider's cache compares it: system first, then the messages, each text a block. */
function blocksOf({ system, messages }: SentBody): Block[] {
  const inPlace = (place: string, content: SentBody['messages'][number]['content']) =>
    (typeof content === 'string' ? [{ text: content, cache_control: undefined }] : content).map((block) => ({
      place,
      text: block.text,
      breakpoint: block.cache_control !== undefined,
    }));
  return [...inPlace('system', system), ...messages.flatMap(({ role, content }) => inPlace(role, content))];
}

const withoutBreakpoints = (blocks: Block[]) => blocks.map(({ place, text }) => `${place}: ${text}`);

describe('what the provider keeps of a prompt', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;

  before(async () => {
    app = await createTestApp();
    avery = await app.person();
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  /** The blocks that each turn of one growing conversation sent, its answers replayed as they came. */
  async function converse(turns: number, between: () => Promise<unknown> = async () => {}): Promise<Block[][]> {
    const messages: { role: string; content: string }[] = [];
    let conversationId: string | null = null;
    for (let turn = 1; turn <= turns; turn += 1) {
      if (turn > 1) await between();
      messages.push({ role: 'user', content: `Question ${turn}` });
      const response = await app.live(avery, { messages, ...(conversationId !== null && { conversationId }) });
      conversationId = response.headers.get('X-Conversation-Id');
      messages.push({ role: 'assistant', content: await response.text() });
    }
    return app.provider.requests.map(({ body }) => blocksOf(body));
  }

  it('is the beginning of the next turn, byte for byte, to the last breakpoint', async () => {
    const sent = await converse(4);
    for (const [turn, blocks] of sent.entries()) {
      expect(blocks.at(-1)?.breakpoint, `turn ${turn + 1} ends in a breakpoint`).to.equal(true);
      const next = sent[turn + 1] ?? blocks;
      expect(withoutBreakpoints(next).slice(0, blocks.length)).to.deep.equal(withoutBreakpoints(blocks));
    }
  });

  it('has four breakpoints in every turn: three in the system prompt, which stay, and the one that moves', async () => {
    for (const blocks of await converse(3)) {
      const places = blocks.flatMap(({ breakpoint }, index) => (breakpoint ? [index + 1] : []));
      expect(places).to.deep.equal([3, 5, 8, blocks.length]);
    }
  });
});
