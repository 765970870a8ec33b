import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import type { ProviderStep } from '../../server/embedded/provider-answer.ts';
import { errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { postForPieces } from './support/raw-reply.ts';

const delta = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('', '\n\n', 'data: x\n\n', '[UPSTREAM_ERROR: quoted]', '0\r\n\r\n', '👩‍🚀') },
);

/** A place in a stream, as a part of the whole; a double would lie at the very start more often than not. */
const place = fc.nat({ max: 1000 }).map((thousandths) => thousandths / 1000);

const count = fc.nat({ max: 1_000_000 });

/**
 * One stream: its deltas, the places (as parts of the whole) where packets divide its bytes, and either its regular end
 * or a failure after any of its bytes.
 */
const stream = fc.record({
  deltas: fc.array(delta, { maxLength: 8, size: 'max' }),
  divisions: fc.array(place, { maxLength: 8, size: 'max' }),
  failure: fc.option(
    fc.record({
      after: fc.oneof(fc.constant(1), place),
      step: fc.constantFrom<ProviderStep>({ cut: true }, { end: true }, errorEvent('api_error')),
    }),
  ),
  usage: fc.record({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
  }),
});

const eventBytes = (text: string) =>
  Buffer.from(
    `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`,
  );

function packets(bytes: Buffer, divisions: readonly number[]): ProviderStep[] {
  const places = divisions.map((part) => Math.floor(part * bytes.length)).toSorted((a, b) => a - b);
  return [0, ...places].flatMap((start, index) => [
    { raw: bytes.subarray(start, places[index] ?? bytes.length) },
    // Packets that come at once would be read as one.
    { wait: 1 },
  ]);
}

/** The deltas whose events are whole within the first `length` bytes. */
function wholeWithin(deltas: readonly string[], length: number): string[] {
  let end = 0;
  return deltas.filter((text) => {
    end += eventBytes(text).length;
    return end <= length;
  });
}

describe('Live chat, any stream', () => {
  let app: TestApp;
  let cookie: string;

  before(async () => {
    app = await createTestApp({ limits: { live: 1000 } });
    ({ cookie } = await app.person());
  });
  after(() => app.close());

  it('61 62 67 87 88 115 hold for all deltas, packets and failures', async () => {
    await fc.assert(
      fc.asyncProperty(stream, async ({ deltas, divisions, failure, usage }) => {
        const all = Buffer.concat(deltas.map(eventBytes));
        const bytes = all.subarray(0, Math.floor((failure?.after ?? 1) * all.length));
        const steps = [...packets(bytes, divisions), ...(failure === null ? [] : [failure.step])];
        app.provider.answerWith({ steps, usage });

        const { status, headers, pieces } = await postForPieces(`${app.url}/api/chat`, question(), { Cookie: cookie });
        const texts = wholeWithin(deltas, bytes.length).filter((text) => text !== '');
        const sentence = 'UPSTREAM_ERROR: The model could not finish the reply.';
        if (failure === null) expect({ status, pieces }).to.deep.equal({ status: 200, pieces: texts });
        else if (texts.length === 0) expect({ status, pieces }).to.deep.equal({ status: 502, pieces: [sentence] });
        else expect({ status, pieces }).to.deep.equal({ status: 200, pieces: [...texts, `\n\n[${sentence}]`] });

        const answers = await app.storage.rows(
          `select content, stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_create_tokens
             from chat_messages where conversation_id = ? and role = 'ASSISTANT'`,
          [headers.get('x-conversation-id')],
        );
        const answered = failure === null || texts.length > 0;
        const answer = {
          content: texts.join('').replaceAll('\0', '\uFFFD'),
          stop_reason: failure === null ? 'end_turn' : null,
          input_tokens: usage.input_tokens,
          // The provider's count until it states the last.
          output_tokens: failure === null ? usage.output_tokens : 1,
          cache_read_tokens: usage.cache_read_input_tokens,
          cache_create_tokens: usage.cache_creation_input_tokens,
        };
        expect(answers).to.deep.equal(answered ? [answer] : []);
      }),
      { seed: 20_261_121, numRuns: 100 },
    );
    // Finding the smallest stream that fails takes longer than a pass.
  }).timeout(60_000);
});
