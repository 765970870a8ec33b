import { expect } from 'chai';
import { afterEach, before, describe, it } from 'mocha';
import type { ProviderAnswer, ProviderRequest } from '../../../server/embedded/provider-server.ts';
import { readDocument } from '../../support/document.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, exampleOnboarding, post, question } from '../../support/test-app.ts';

const canary = 'canary4f7e9d';
const asked = question(`${canary} 'one'\n    at ${canary} (node:fs:1:1)\n${canary}`);
const maxCharacters = 8192;

function expectQuiet(lines: readonly unknown[], ...secrets: string[]): void {
  expect(lines).not.to.be.empty;
  for (const line of lines) {
    const text = JSON.stringify(line);
    expect(text.length).to.be.lessThan(maxCharacters);
    for (const secret of [canary, 'test-key', ...secrets])
      expect(text.toLowerCase()).not.to.include(secret.toLowerCase());
  }
}

/** Returns a provider error that repeats the key and the body of the request, and is longer than a log line can be. */
const echoingError = ({ headers, body }: ProviderRequest): ProviderAnswer => {
  const message = `${headers.authorization} ${JSON.stringify(body)} ${JSON.stringify(body.messages)}`;
  return { refuse: { status: 400, type: 'invalid_request_error', message: message.padEnd(22_000, canary) } };
};

describe('the log', () => {
  /** The session cookie, the user's e-mail address, and the company, which is in the prompt. */
  let secrets: string[];

  const app = perSuite(() => createTestApp());
  const avery = perSuite(() => app.person());
  before(() => {
    secrets = [avery.cookie.split('=')[1] ?? '', 'avery@example.com', ...Object.values(exampleOnboarding.company)];
  });
  afterEach(() => app.provider.reset());

  const lineOf = (response: Response, lines = app.lines) =>
    eventually(() =>
      lines.find(({ requestId, status }) => requestId === response.headers.get('x-request-id') && status),
    );

  it('includes the type and request id of a provider error, but not its message', async () => {
    app.lines.length = 0;
    app.provider.answerWith(echoingError);
    for (const response of [await app.live(avery, asked), await app.demo(asked)]) {
      await response.text();
      const { code, err, providerRequestId } = await lineOf(response);
      const { cause } = err as { cause: object };
      expect(code).to.equal('UPSTREAM_BAD_REQUEST');
      const kind = { type: 'BadRequestError', status: 400, providerType: 'invalid_request_error' };
      expect(cause).to.deep.include(kind).and.not.have.property('message');
      expect(cause).to.have.property('stack').that.includes('server/model/');
      expect(providerRequestId).to.match(/^req_/);
    }
    expectQuiet(app.lines, ...secrets);
  });

  it('includes the user, the conversation, the Unix time and the ending of a turn, in documented fields', async () => {
    const sentAt = Date.now();
    const response = await app.live(avery, asked);
    await response.text();
    const { id, organization } = avery.user;
    const line = await lineOf(response);
    const conversationId = response.headers.get('x-conversation-id');
    expect(line).to.include({ method: 'POST', status: 200, ending: 'complete', userId: id, orgId: organization.id });
    expect(line).to.include({ conversationId });
    expect(line.time).to.be.within(sentAt, Date.now());
    const documented = `${readDocument('docs/operations.md').tableUnder('### Logs')} \`level\` \`time\` \`msg\``;
    const fields = Object.keys(line).map((field) => field.replace(/^.*Tokens$/, '…Tokens'));
    expect(fields.filter((field) => !documented.includes(`\`${field}\``))).to.deep.equal([]);
  });

  it('contains null for a model, stop reason or provider request id that does not look like an identifier', async () => {
    app.lines.length = 0;
    app.provider.answerWith({ steps: [{ text: 'Yes.' }], model: `${canary} said`, stopReason: `because of ${canary}` });
    for (const response of [await app.live(avery, asked), await app.demo(asked)]) {
      await response.text();
      expect(await lineOf(response)).to.include({ ending: 'complete', model: null, stopReason: null });
    }
    app.provider.answerWith({
      refuse: { status: 500, type: 'api_error', message: 'x', headers: { 'request-id': `${canary} was asked` } },
    });
    expect(await lineOf(await app.demo(asked))).to.include({ status: 502, providerRequestId: null });
    expectQuiet(app.lines, ...secrets);
  });

  it('contains the code INTERNAL for an internal error of a demo turn, even though the client receives UPSTREAM_ERROR', async () => {
    let broken = false;
    const clock = () => {
      if (broken) throw new Error('The clock is broken.');
      return performance.now();
    };
    await using failing = await createTestApp({ shared: app, clock });
    broken = true;
    const response = await failing.demo(asked);
    expect([response.status, await response.text()].join(' ')).to.match(/^502 UPSTREAM_ERROR: /);
    expect(await lineOf(response, failing.lines)).to.include({ code: 'INTERNAL' });
  });

  it('contains no part of an invalid body or header', async () => {
    app.lines.length = 0;
    for (const [body, headers] of [
      [`{"messages": ${canary}`, {}],
      [asked, { 'Content-Type': `application/json; charset=${canary}` }],
      [asked, { 'Content-Encoding': canary }],
      [asked, { 'Content-Type': canary }],
    ] as const) {
      const response = await post(`${app.url}/api/chat/demo`, body, headers);
      expect(response.status).to.equal(400);
      await lineOf(response);
    }
    expectQuiet(app.lines);
  });
});
