import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type {
  ProviderAnswer,
  ProviderEvent,
  ProviderStep,
  ProviderUsage,
} from '../../server/embedded/provider-server.ts';
import { perSuite } from '../support/per-suite.ts';
import { postForChunks } from '../support/raw-http.ts';
import { errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';

const anyUtf16 = fc.string({
  unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  maxLength: 4,
});

const awkward = ['', '\ud83d', '\ude00', '\n\n', 'data: x\n\n', '[UPSTREAM_ERROR: quoted]', '0\r\n\r\n', '👩‍🚀'];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: anyUtf16 },
  { weight: 1, arbitrary: fc.constantFrom(...awkward) },
);

type TextEvent = { event: ProviderEvent; text: string };

const textDelta = (delta: string): TextEvent => ({
  text: delta,
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: delta } },
});

const withoutText = (event: ProviderEvent): TextEvent => ({ text: '', event });

const eventsWithoutText = [
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'unheard_of_event', text: 'None of the reply.' },
].map(withoutText);

const textEvent = fc.oneof(
  { weight: 4, arbitrary: text.map(textDelta) },
  { weight: 1, arbitrary: fc.constantFrom(...eventsWithoutText) },
);

// A position in the stream between 0 and 1. An arbitrary double would usually be close to 0.
const position = fc.nat({ max: 1000 }).map((thousandths) => thousandths / 1000);

const count = fc.nat({ max: 1_000_000 });
const counts = {
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
};

const parts = fc.record({
  events: fc.array(textEvent, { maxLength: 8, size: 'max' }),
  usage: fc.record(counts),
  lastUsage: fc.record(counts, { requiredKeys: [] }),
  stopReason: fc.constantFrom('end_turn', 'max_tokens', 'refusal'),
  divisions: fc.array(position, { maxLength: 8, size: 'max' }),
  failure: fc.option(
    fc.record({
      after: fc.oneof(fc.constant(1), position),
      step: fc.constantFrom<ProviderStep>({ cut: true }, { end: true }, { raw: '<html>\n\n' }, errorEvent('api_error')),
    }),
  ),
});

type AnyStream = {
  answer: ProviderAnswer;
  texts: readonly string[];
  /** The last received value of each token count. */
  usage: ProviderUsage;
  /** Null if the stream fails before its last event has arrived. */
  stopReason: string | null;
};

/**
 * A stream and the expected result: arbitrary events, split into packets at arbitrary bytes, with a regular end or a
 * failure after an arbitrary byte.
 */
const anyStream = parts.map(({ events, usage, lastUsage, stopReason, divisions, failure }): AnyStream => {
  const messageDelta = withoutText({ type: 'message_delta', delta: { stop_reason: stopReason }, usage: lastUsage });
  const complete = [...events, messageDelta, withoutText({ type: 'message_stop' })];
  const all = Buffer.concat(complete.map(bytesOf));
  const bytes = all.subarray(0, Math.floor((failure?.after ?? 1) * all.length));
  const failureStep = failure === null ? [] : [failure.step];
  const steps: ProviderStep[] = [...packets(bytes, divisions), ...failureStep, { end: true }];

  const received = completeWithin(complete, bytes.length);
  return {
    answer: { steps, usage, model: 'claude-that-answered' },
    texts: chunksOf(
      received.map((each) => each.text),
      received.length === complete.length,
    ),
    // The first event of a stream reports one output token.
    usage: { ...usage, output_tokens: 1, ...(received.includes(messageDelta) && lastUsage) },
    stopReason: received.length === complete.length ? stopReason : null,
  };
});

/** The first half of a surrogate pair at the end of a delta is sent with the next delta, or as U+FFFD at the end of a complete reply. */
function chunksOf(deltas: readonly string[], isComplete: boolean): string[] {
  const chunks: string[] = [];
  let half = '';
  for (const delta of deltas) {
    const text = half + delta;
    half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    chunks.push(text.slice(0, text.length - half.length).toWellFormed());
  }
  return [...chunks, isComplete ? half.toWellFormed() : ''].filter((chunk) => chunk !== '');
}

function bytesOf({ event }: TextEvent): Buffer {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

function packets(bytes: Buffer, divisions: readonly number[]): ProviderStep[] {
  const offsets = divisions.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b);
  return [0, ...offsets].flatMap((start, index) => [
    { raw: bytes.subarray(start, offsets[index] ?? bytes.length) },
    // Pauses between packets, which could otherwise be read as one.
    { wait: 1 },
  ]);
}

function completeWithin(events: readonly TextEvent[], length: number): TextEvent[] {
  let end = 0;
  return events.filter((event) => {
    end += bytesOf(event).length;
    return end <= length;
  });
}

const upstreamError = 'UPSTREAM_ERROR: The model could not finish the reply.';

/** Returns the expected response: one chunk per text. A failure sets the status, or is appended if there is text. */
function expectedResponse({ texts, stopReason }: AnyStream) {
  if (stopReason !== null) return { status: 200, chunks: texts };
  return texts.length === 0
    ? { status: 502, chunks: [upstreamError] }
    : { status: 200, chunks: [...texts, `\n\n[${upstreamError}]`] };
}

/** Returns the expected row of the answer, if there is one. */
function expectedAnswer({ texts, stopReason, usage }: AnyStream) {
  if (stopReason === null && texts.length === 0) return [];
  const answer = {
    content: texts.join('').replaceAll('\0', '\uFFFD'),
    stop_reason: stopReason,
    model: 'claude-that-answered',
    prompt_version: '1.0.0',
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
    cache_create_tokens: usage.cache_creation_input_tokens,
    has_last_message_at: true,
  };
  return [answer];
}

describe('Live chat with any provider stream', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 10_000 } }));
  const avery = perSuite(() => app.person());

  const answerIn = (conversationId: string | undefined) =>
    app.storage.rows(
      `select content, stop_reason, model, prompt_version, input_tokens, output_tokens, cache_read_tokens,
              cache_create_tokens, last_message_at is not null as has_last_message_at
         from chat_messages join conversations on conversations.id = conversation_id
         where conversation_id = ? and role = 'ASSISTANT'`,
      [conversationId],
    );

  it('satisfies statements 61, 62, 66, 67, 87 to 90 and 115 for arbitrary events, packets and failures', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream, async (stream) => {
        app.provider.answerWith(stream.answer);
        const { valuesOf, ...reply } = await postForChunks(`${app.url}/api/chat`, question(), { Cookie: avery.cookie });
        expect(reply).to.deep.equal(expectedResponse(stream));
        expect(await answerIn(valuesOf('x-conversation-id')[0])).to.deep.equal(expectedAnswer(stream));
      }),
      { numRuns: 150 },
    );
  });
});
