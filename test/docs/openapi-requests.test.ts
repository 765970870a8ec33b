import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { AppError } from '../../server/app-error.ts';
import { demoMessages, liveRequest } from '../../server/chat/request-messages.ts';
import { loadConfig } from '../../server/config/config.ts';
import { routes } from '../../shared/interface.ts';
import { anyBody } from '../support/any-body.ts';
import { operationOf } from './openapi-document.ts';
import { matcherOf } from './openapi-matcher.ts';

const { maxMessages } = loadConfig({});
const runs = { numRuns: 5_000 };

function bodyMatcher(path: string) {
  const { schema } = operationOf(path).requestBody?.content['application/json'] ?? {};
  if (schema === undefined) throw new Error(`${path} takes no JSON.`);
  return matcherOf(schema);
}

function refusalOf(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}

/**
 * A body without a `conversationId` that is no string. The service takes one and begins a new conversation; the document
 * has strings alone, so that a generated client cannot send anything else by mistake.
 */
function withoutOddConversation(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('conversationId' in body)) return body;
  const { conversationId, ...rest } = body;
  return typeof conversationId === 'string' ? body : rest;
}

/** What a schema cannot say, and the document says in words. */
function isLastFromUser(body: unknown): boolean {
  return Object(body).messages.at(-1).role === 'user';
}

/** The fields that messages and blocks have, in their order. */
const stripped = ({ messages }: { messages: { role: string; content: string | { type: string; text: string }[] }[] }) =>
  messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(({ type, text }) => ({ type, text })),
  }));

describe('The request bodies of docs/openapi.yaml', () => {
  it('are those that live chat takes, where the last message is from the user', () => {
    const isDescribed = bodyMatcher(routes.liveChat);
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(anyBody, (body) => {
        const refusal = refusalOf(() => liveRequest(body, maxMessages));
        seen[refusal === null ? 'taken' : 'refused'] += 1;
        if (refusal === null)
          expect(JSON.stringify(liveRequest(body, maxMessages).messages)).to.equal(
            JSON.stringify(stripped(Object(body))),
          );
        if (!isDescribed(withoutOddConversation(body)))
          expect(refusal).to.be.oneOf(['MISSING_MESSAGES', 'LAST_MESSAGE_NOT_USER']);
        else expect(refusal).to.equal(isLastFromUser(body) ? null : 'LAST_MESSAGE_NOT_USER');
      }),
      runs,
    );
    expect(Math.min(seen.taken, seen.refused)).to.be.above(1000);
  }).timeout(60_000);

  it('are those that demo chat takes', () => {
    const isDescribed = bodyMatcher(routes.demoChat);
    fc.assert(
      fc.property(anyBody, (body) => {
        const refusal = refusalOf(() => demoMessages(body, maxMessages));
        if (isDescribed(body)) expect(refusal).to.equal(null);
        else expect(refusal).to.be.oneOf(['MISSING_MESSAGES', 'UPSTREAM_BAD_REQUEST']);
      }),
      runs,
    );
  }).timeout(60_000);
});
