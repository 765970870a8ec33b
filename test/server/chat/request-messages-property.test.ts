import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { demoMessages, liveRequest } from '../../../server/chat/request-messages.ts';
import { anyBody, type Verdict, verdictOn } from '../../support/any-body.ts';

const runs = { numRuns: 10_000 };

/** A well-formed body. */
type Body = {
  messages: { role: string; content: string | { type: string; text: string }[] }[];
  conversationId?: unknown;
};

/** More than any body here has. */
const maxMessages = 100;

const liveCodes = new Map<Verdict, string>([
  ['no messages', 'MISSING_MESSAGES'],
  ['malformed', 'MISSING_MESSAGES'],
  ['last not user', 'LAST_MESSAGE_NOT_USER'],
]);

/** What was made of a body, or the code that it was refused with. */
function outcomeOf<T>(parse: () => T): { parsed: T } | { code: string } {
  try {
    return { parsed: parse() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code };
  }
}

/** `conversationId` and the fields of messages and blocks, in their order, and nothing else. */
function stripped(body: Body) {
  const messages = body.messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(({ type, text }) => ({ type, text })),
  }));
  return { messages, question: messages.at(-1), conversationId: body.conversationId };
}

describe('liveRequest', () => {
  it('judges any JSON by the rules alone, and drops every field that no message has', () => {
    const seen = new Set<Verdict>();
    fc.assert(
      fc.property(anyBody, (body) => {
        const verdict = verdictOn(body);
        seen.add(verdict);
        const code = liveCodes.get(verdict);
        const expected = code === undefined ? { parsed: stripped(Object(body)) } : { code };
        expect(JSON.stringify(outcomeOf(() => liveRequest(body, maxMessages)))).to.equal(JSON.stringify(expected));
      }),
      runs,
    );
    expect([...seen]).to.have.members([...liveCodes.keys(), 'well formed']);
  }).timeout(60_000);
});

describe('demoMessages', () => {
  it('judges any JSON by the same rules, but takes a last message of the assistant', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyBody, (body) => {
        const outcome = outcomeOf(() => demoMessages(body, maxMessages));
        const expected = expectedOfDemo(body);
        seen.add('code' in expected ? expected.code : 'taken');
        expect(JSON.stringify(outcome)).to.equal(JSON.stringify(expected));
      }),
      runs,
    );
    expect([...seen]).to.have.members(['MISSING_MESSAGES', 'UPSTREAM_BAD_REQUEST', 'taken']);
  }).timeout(60_000);
});

/** With a question after it, a body of demo chat is one of live chat. */
function expectedOfDemo(body: unknown): { parsed: unknown } | { code: string } {
  if (verdictOn(body) === 'no messages') return { code: 'MISSING_MESSAGES' };
  const { messages } = Object(body);
  const followed = { messages: [...messages, { role: 'user', content: 'And then?' }] };
  if (verdictOn(followed) !== 'well formed') return { code: 'UPSTREAM_BAD_REQUEST' };
  return { parsed: stripped(Object(body)).messages };
}
