import { expect } from 'chai';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import type {
  ProviderAnswer,
  ProviderEvent,
  ProviderStep,
  ProviderUsage,
} from '../../server/embedded/provider-server.ts';
import { ofSuite } from '../support/of-suite.ts';
import { errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { postForPieces } from './support/send.ts';

const anyUtf16 = fc.string({
  unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 4,
});

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: anyUtf16 },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\ud83d',
      '\ude00',
      '\n\n',
      'data: x\n\n',
      '[UPSTREAM_ERROR: quoted]',
      '0\r\n\r\n',
      '👩‍🚀',
    ),
  },
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
  /** The pieces of text that the client gets. */
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
    texts: piecesOf(
      arrived.map((each) => each.text),
      arrived.length === whole.length,
    ),
    // A stream begins with an output of one token.
    usage: { ...usage, output_tokens: 1, ...(arrived.includes(messageDelta) && lastUsage) },
    stopReason: arrived.length === whole.length ? stopReason : null,
  };
});

/** Half a surrogate pair at the end of a delta is sent with the next one, or as U+FFFD at the end of a whole reply. */
function piecesOf(deltas: readonly string[], isWhole: boolean): string[] {
  const pieces: string[] = [];
  let half = '';
  for (const delta of deltas) {
    const text = half + delta;
    half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    pieces.push(text.slice(0, text.length - half.length).toWellFormed());
  }
  return [...pieces, isWhole ? half.toWellFormed() : ''].filter((piece) => piece !== '');
}

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

const failed = 'UPSTREAM_ERROR: The model could not finish the reply.';

/** What the client gets: each piece by itself; a failure with a status of its own, or after the text. */
function replyOf({ texts, stopReason }: AnyStream) {
  if (stopReason !== null) return { status: 200, pieces: texts };
  return texts.length === 0
    ? { status: 502, pieces: [failed] }
    : { status: 200, pieces: [...texts, `\n\n[${failed}]`] };
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
    content: texts.join('').replaceAll('\0', '\uFFFD'),
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
        const { valuesOf, ...reply } = await postForPieces(`${app.url}/api/chat`, question(), { Cookie: cookie });
        expect(reply).to.deep.equal(replyOf(stream));
        expect(await storedIn(valuesOf('x-conversation-id')[0] ?? null)).to.deep.equal(storedAfter(stream));
      }),
      { numRuns: 150 },
    );
    // Finding the smallest stream that fails takes longer than a pass.
  }).timeout(120_000);
});
