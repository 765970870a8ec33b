import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, beforeEach, describe, it } from 'mocha';
import { anyBytes, type Verdict, verdictOnBytes } from '../support/any-body.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const runs = { numRuns: 150 };

const wellFormed = { status: 200, text: defaultReply.text };
const noReply = { status: 502, text: 'UPSTREAM_ERROR: The model could not finish the reply.' };
const invalidJson = { status: 400, text: 'INVALID_JSON: The request body is not valid JSON.' };
const missingMessages = {
  status: 400,
  text: 'MISSING_MESSAGES: Send "messages": a non-empty array of { "role", "content" } objects.',
};
const lastMessageNotUser = {
  status: 400,
  text: 'LAST_MESSAGE_NOT_USER: The last message must have the role "user".',
};

const onLiveChat: Record<Verdict, unknown> = {
  'not JSON': invalidJson,
  'no messages': missingMessages,
  malformed: missingMessages,
  'last not user': lastMessageNotUser,
  'well formed': wellFormed,
};

/** Malformed is what the provider would refuse, and a last message of the assistant's is what it does refuse. */
const onDemoChat: Record<Verdict, unknown> = {
  ...onLiveChat,
  malformed: noReply,
  'last not user': noReply,
};

describe('Any body', () => {
  let app: TestApp;
  let cookie: string;

  before(async () => {
    app = await createTestApp({ limits: { live: 100_000, demo: 100_000 } });
    ({ cookie } = await app.person());
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  async function ask(path: string, body: Buffer<ArrayBuffer>) {
    const headers = { 'Content-Type': 'application/json', Cookie: cookie };
    const response = await fetch(app.url + path, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  }

  it('keeps statements 45, 46 and 48 to 51 on live chat: any bytes get the one answer that the rules give them', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        expect(await ask('/api/chat', bytes)).to.deep.equal(onLiveChat[verdictOnBytes(bytes)]);
      }),
      runs,
    );
  }).timeout(60_000);

  it('keeps statement 112 on live chat: what the rules let pass and the provider refuses is UPSTREAM_BAD_REQUEST', async () => {
    app.provider.answerWith({ refuse: { status: 400, type: 'invalid_request_error', message: 'Scripted.' } });
    const refused = { status: 400, text: 'UPSTREAM_BAD_REQUEST: The model did not accept this request.' };
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const verdict = verdictOnBytes(bytes);
        const expected = verdict === 'well formed' ? refused : onLiveChat[verdict];
        expect(await ask('/api/chat', bytes)).to.deep.equal(expected);
      }),
      runs,
    );
  }).timeout(60_000);

  it('keeps statements 107 to 109 on demo chat: any bytes get the one answer that the rules or the provider give them', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        expect(await ask('/api/chat/demo', bytes)).to.deep.equal(onDemoChat[verdictOnBytes(bytes)]);
      }),
      runs,
    );
  }).timeout(60_000);
});
