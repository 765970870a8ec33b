import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { type AnyStream, anyStream } from './support/any-stream.ts';
import { postForPieces } from './support/raw-reply.ts';

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
  let app: TestApp;
  let cookie: string;

  before(async () => {
    app = await createTestApp({ limits: { live: 100_000 } });
    ({ cookie } = await app.person());
  });
  after(() => app.close());

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
