import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { postForChunks } from '../support/raw-http.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';

describe('Live chat: the stream', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  async function turn() {
    const response = await app.live(avery, question());
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  const turnInChunks = (headers: Record<string, string> = {}) =>
    postForChunks(`${app.url}/api/chat`, question(), { Cookie: avery.cookie, ...headers });

  function replyWith(deltas: readonly string[]): void {
    app.provider.answerWith({ steps: deltas.map((text) => ({ text })) });
  }

  it('55 A turn is answered with 200', async () => {
    const { status, body } = await turn();
    expect(status).to.equal(200);
    expect(body.toString()).to.equal(defaultReply.text);
  });

  for (const [row, name, value] of [
    [56, 'Content-Type', 'text/plain; charset=utf-8'],
    [57, 'Cache-Control', 'no-cache, no-transform'],
    [58, 'X-Accel-Buffering', 'no'],
    [59, 'X-Prompt-Version', '1.0.0'],
  ] as const) {
    it(`${row} ${name} is exactly ${value}`, async () => {
      expect((await turn()).headers.get(name)).to.equal(value);
      replyWith([]);
      expect((await turn()).headers.get(name), 'of an empty reply').to.equal(value);
    });
  }

  it('60 X-Conversation-Id is the cuid of the stored conversation', async () => {
    await app.storage.rows('delete from conversations');
    const id = (await turn()).headers.get('x-conversation-id');
    expect(id).to.match(/^c[a-z0-9]{24}$/);
    expect(await app.storage.rows('select id from conversations')).to.deep.equal([{ id }]);
  });

  it("61 The body is the model's deltas, byte for byte", async () => {
    const deltas = [
      '\uFEFF',
      ' né ',
      '\0',
      '漢字 👩‍🚀',
      '\r\n\r\n',
      'שלום',
      '\u2028',
      'e\u0301 ﬁ',
      '# **not** <b>rendered</b>\t',
      '\n\n ',
    ];
    replyWith(deltas);
    expect((await turn()).body).to.deep.equal(Buffer.from(deltas.join('')));
    replyWith(['x'.repeat(60_000)]);
    expect((await turn()).body).to.deep.equal(Buffer.from('x'.repeat(60_000)));
    replyWith([]);
    expect((await turn()).body).to.deep.equal(Buffer.alloc(0));
  });

  it('62 N deltas arrive as N chunks, in order', async () => {
    const deltas = Array.from({ length: 500 }, (_, index) => `delta ${index} `);
    replyWith(deltas);
    expect((await turnInChunks()).chunks).to.deep.equal(deltas);
  });

  it('63 The first chunk arrives before the provider has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'first' }, { wait: promise }, { text: ' last' }] });
    const response = await app.live(avery, question());
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).to.deep.equal({ done: false, value: 'first' });
    expect(app.provider.open).to.equal(1);
    resolve();
    expect(await reader?.read()).to.deep.equal({ done: false, value: ' last' });
    expect(await reader?.read()).to.deep.equal({ done: true, value: undefined });
  });

  it('64 The body is never compressed', async () => {
    const large = 'compressible '.repeat(4_000);
    replyWith([large]);
    const { valuesOf, chunks } = await turnInChunks({ 'Accept-Encoding': 'gzip, deflate, br, zstd, *' });
    expect(valuesOf('content-encoding')).to.deep.equal([]);
    expect(chunks).to.deep.equal([large]);
  });

  it('65 The body has no framing', async () => {
    const deltas = ['event: text\ndata: {"delta":"x"}\n\n', '[', '{"data":null,"meta":{}}', '[DONE]'];
    replyWith(deltas);
    for (const accepted of ['text/event-stream', 'application/json', 'application/x-ndjson']) {
      const { valuesOf, chunks } = await turnInChunks({ Accept: accepted });
      expect(valuesOf('content-type')).to.deep.equal(['text/plain; charset=utf-8']);
      expect(chunks).to.deep.equal(deltas);
    }
  });

  it('66 Thinking, pings and unknown events add nothing', async () => {
    const delta = (type: string, rest: object) => ({
      event: { type: 'content_block_delta', index: 1, delta: { type, ...rest } },
    });
    app.provider.answerWith({
      steps: [
        { event: { type: 'content_block_start', index: 1, content_block: { type: 'thinking', thinking: 'no' } } },
        delta('thinking_delta', { thinking: 'no' }),
        delta('signature_delta', { signature: 'no' }),
        { event: { type: 'ping' } },
        { text: 'One' },
        { text: '' },
        { raw: ': a comment\n\n' },
        delta('input_json_delta', { partial_json: '"no"' }),
        delta('unheard_of_delta', { text: 'no' }),
        { event: { type: 'unheard_of', text: 'no', delta: { text: 'no' } } },
        { text: ' two' },
        { event: { type: 'ping' } },
      ],
    });
    expect((await turnInChunks()).chunks).to.deep.equal(['One', ' two']);
  });

  it('67 Multibyte characters that are split across provider packets stay whole', async () => {
    const texts = ['né 漢字 👩‍🚀', ' שלום'];
    const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    const events = [...texts.map(delta), { type: 'message_stop' }];
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    // Pauses between packets, which could otherwise be read as one.
    const split = Array.from(bytes, (byte) => [{ raw: Uint8Array.of(byte) }, { wait: 1 }]).flat();
    for (const steps of [split, [{ raw: bytes }]]) {
      app.provider.answerWith({ steps });
      expect((await turnInChunks()).chunks).to.deep.equal(texts);
    }
  });
});
