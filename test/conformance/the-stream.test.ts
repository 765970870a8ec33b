import { expect } from 'chai';
import fc from 'fast-check';
import { before, beforeEach, describe, it } from 'mocha';
import type {
  ProviderAnswer,
  ProviderEvent,
  ProviderStep,
  ProviderUsage,
} from '../../server/embedded/provider-server.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { postForPieces } from './support/raw-reply.ts';

const anyUtf16 = fc.string({
  unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 4,
});

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: anyUtf16 },
  { weight: 1, arbitrary: fc.constantFrom('', '\n\n', 'data: x\n\n', '[UPSTREAM_ERROR: quoted]', '0\r\n\r\n', '👩‍🚀') },
);

/** An event of a stream, and the text that it adds to the reply. */
type Sent = { event: ProviderEvent; text: string };

const textDelta = (delta: string): Sent => ({
  text: delta,
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: delta } },
});

const withoutText = (event: ProviderEvent): Sent => ({ text: '', event });

const sent = fc.oneof(
  { weight: 4, arbitrary: text.map(textDelta) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<ProviderEvent>(
        { type: 'ping' },
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
        { type: 'unheard_of_event', text: 'None of the reply.' },
      )
      .map(withoutText),
  },
);

/** A place in a stream, as a part of the whole; a double would lie at the very start more often than not. */
const place = fc.nat({ max: 1000 }).map((thousandths) => thousandths / 1000);

const count = fc.nat({ max: 1_000_000 });
const counts = {
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
};

const parts = fc.record({
  begun: fc.array(sent, { maxLength: 8, size: 'max' }),
  usage: fc.record(counts),
  lastUsage: fc.record(counts, { requiredKeys: [] }),
  stopReason: fc.constantFrom('end_turn', 'max_tokens', 'refusal'),
  divisions: fc.array(place, { maxLength: 8, size: 'max' }),
  failure: fc.option(
    fc.record({
      after: fc.oneof(fc.constant(1), place),
      step: fc.constantFrom<ProviderStep>({ cut: true }, { end: true }, { raw: '<html>\n\n' }, errorEvent('api_error')),
    }),
  ),
});

type AnyStream = {
  answer: ProviderAnswer;
  /** The text of each delta that arrives. */
  texts: readonly string[];
  /** What is stated of the usage, as far as that arrives: each count as it was stated last. */
  usage: ProviderUsage;
  /** null where the stream fails before its last event has arrived */
  stopReason: string | null;
};

/**
 * One stream and what comes of it: any events, packets that divide its bytes anywhere, and either its regular end or a
 * failure after any of its bytes.
 */
const anyStream = parts.map(({ begun, usage, lastUsage, stopReason, divisions, failure }): AnyStream => {
  const messageDelta = withoutText({ type: 'message_delta', delta: { stop_reason: stopReason }, usage: lastUsage });
  const whole = [...begun, messageDelta, withoutText({ type: 'message_stop' })];
  const all = Buffer.concat(whole.map(bytesOf));
  const bytes = all.subarray(0, Math.floor((failure?.after ?? 1) * all.length));
  const steps: ProviderStep[] = [
    ...packets(bytes, divisions),
    ...(failure === null ? [] : [failure.step]),
    { end: true },
  ];

  const arrived = wholeWithin(whole, bytes.length);
  return {
    answer: { steps, usage, model: 'claude-that-answered' },
    texts: arrived.map((each) => each.text).filter((delta) => delta !== ''),
    // A stream begins with an output of one token.
    usage: { ...usage, output_tokens: 1, ...(arrived.includes(messageDelta) && lastUsage) },
    stopReason: arrived.length === whole.length ? stopReason : null,
  };
});

function bytesOf({ event }: Sent): Buffer {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

function packets(bytes: Buffer, divisions: readonly number[]): ProviderStep[] {
  const places = divisions.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b);
  return [0, ...places].flatMap((start, index) => [
    { raw: bytes.subarray(start, places[index] ?? bytes.length) },
    // Packets that come at once would be read as one.
    { wait: 1 },
  ]);
}

/** The elements whose events are whole within the first `length` bytes. */
function wholeWithin(elements: readonly Sent[], length: number): Sent[] {
  let end = 0;
  return elements.filter((element) => {
    end += bytesOf(element).length;
    return end <= length;
  });
}

describe('Live chat: the stream', () => {
  const app = ofSuite(() => createTestApp({ limits: { live: 1000 } }));
  const avery = ofSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  /** A turn as any client sees it, read to its end. */
  async function turn() {
    const response = await app.live(avery, question());
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** A turn as it is on the wire. */
  const wire = (headers: Record<string, string> = {}) =>
    postForPieces(`${app.url}/api/chat`, question(), { Cookie: avery.cookie, ...headers });

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

  it('60 X-Conversation-Id is the cuid that is stored', async () => {
    await app.storage.rows('delete from conversations');
    const id = (await turn()).headers.get('x-conversation-id');
    expect(id).to.match(/^c[a-z0-9]{24}$/);
    expect(await app.storage.rows('select id from conversations')).to.deep.equal([{ id }]);
  });

  it('61 The body is the deltas of the model, byte for byte', async () => {
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
    replyWith(['x'.repeat(1_000_000)]);
    expect((await turn()).body).to.deep.equal(Buffer.from('x'.repeat(1_000_000)));
    replyWith([]);
    expect((await turn()).body).to.deep.equal(Buffer.alloc(0));
  });

  it('62 N deltas arrive as N chunks, in order', async () => {
    const deltas = Array.from({ length: 500 }, (_, index) => `delta ${index} `);
    replyWith(deltas);
    expect((await wire()).pieces).to.deep.equal(deltas);
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
    const large = 'compressible '.repeat(10_000);
    replyWith([large]);
    const { headers, pieces } = await wire({ 'Accept-Encoding': 'gzip, deflate, br, zstd, *' });
    expect(headers.get('content-encoding')).to.equal(null);
    expect(pieces).to.deep.equal([large]);
  });

  it('65 The body has no framing', async () => {
    const deltas = ['event: text\ndata: {"delta":"x"}\n\n', '[', '{"data":null,"meta":{}}', '[DONE]'];
    replyWith(deltas);
    for (const accepted of ['text/event-stream', 'application/json', 'application/x-ndjson']) {
      const { headers, pieces } = await wire({ Accept: accepted });
      expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(pieces).to.deep.equal(deltas);
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
    expect((await wire()).pieces).to.deep.equal(['One', ' two']);
  });

  it("67 Multibyte characters that the provider's packets split stay whole", async () => {
    const text = 'né 漢字 👩‍🚀 שלום';
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    // Packets that come at once would be read as one.
    app.provider.answerWith({ steps: Array.from(bytes, (byte) => [{ raw: Uint8Array.of(byte) }, { wait: 1 }]).flat() });
    expect((await wire()).pieces).to.deep.equal([text]);
  });
});

const failed = 'UPSTREAM_ERROR: The model could not finish the reply.';

/** What the client gets: each delta by itself; a failure with a status of its own, or after the text. */
function replyOf({ texts, stopReason }: AnyStream) {
  const pieces = texts.map((text) => text.toWellFormed());
  if (stopReason !== null) return { status: 200, pieces };
  return texts.length === 0
    ? { status: 502, pieces: [failed] }
    : { status: 200, pieces: [...pieces, `\n\n[${failed}]`] };
}

/** What the conversation then has: the question, and the answer as far as it came. */
function storedAfter({ texts, stopReason, usage }: AnyStream) {
  const asked = {
    role: 'USER',
    content: 'Where do we start?',
    stop_reason: null,
    model: null,
    prompt_version: null,
    input_tokens: null,
    output_tokens: null,
    cache_read_tokens: null,
    cache_create_tokens: null,
  };
  if (stopReason === null && texts.length === 0) return { messages: [asked], bumped: false };
  const answer = {
    role: 'ASSISTANT',
    content: texts.join('').toWellFormed().replaceAll('\0', '\uFFFD'),
    stop_reason: stopReason,
    model: 'claude-that-answered',
    prompt_version: '1.0.0',
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
    cache_create_tokens: usage.cache_creation_input_tokens,
  };
  return { messages: [asked, answer], bumped: true };
}

describe('Any stream', () => {
  let cookie: string;

  const app = ofSuite(() => createTestApp({ limits: { live: 100_000 } }));
  before(async () => {
    ({ cookie } = await app.person());
  });

  /** A conversation's messages in their order, and whether an answer has moved its `lastMessageAt`. */
  async function storedIn(conversationId: string | null) {
    const messages = await app.storage.rows(
      `select role, content, stop_reason, model, prompt_version,
              input_tokens, output_tokens, cache_read_tokens, cache_create_tokens
         from chat_messages where conversation_id = ? order by position`,
      [conversationId],
    );
    const [conversation] = await app.storage.rows(
      'select last_message_at is not null as bumped from conversations where id = ?',
      [conversationId],
    );
    return { messages, bumped: conversation?.bumped };
  }

  it('keeps statements 61, 62, 66, 67, 87 to 90 and 115, whatever its events, packets and failure', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream, async (stream) => {
        app.provider.answerWith(stream.answer);
        const { headers, ...reply } = await postForPieces(`${app.url}/api/chat`, question(), { Cookie: cookie });
        expect(reply).to.deep.equal(replyOf(stream));
        expect(await storedIn(headers.get('x-conversation-id'))).to.deep.equal(storedAfter(stream));
      }),
      { numRuns: 150 },
    );
    // Finding the smallest stream that fails takes longer than a pass.
  }).timeout(120_000);
});
