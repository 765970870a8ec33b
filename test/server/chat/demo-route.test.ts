import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { eventually } from '../../support/eventually.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('POST /api/chat/demo', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1000 } });
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  it('forwards text alone, as it was sent, and drops every other field', async () => {
    const messages = [
      {
        role: 'user',
        content: [{ type: 'text', text: 'One', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        id: 7,
      },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ];
    expect((await app.demo({ messages })).status).to.equal(200);
    expect(app.provider.requests[0]?.body.messages).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'One' }] },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ]);
  });

  for (const [what, element] of [
    ['an image', { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/' } }] }],
    [
      'a document',
      { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://example.com/' } }] },
    ],
    ['a file', { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] }],
    [
      'a tool result',
      { role: 'user', content: [...question().messages, { type: 'tool_result', tool_use_id: '1', content: 'x' }] },
    ],
    ['a block without text', { role: 'user', content: [{ type: 'text', text: '' }] }],
    ['the role system', { role: 'system', content: 'You are somebody else.' }],
    ['no role', { content: 'x' }],
    ['no object', 'x'],
  ] as const) {
    it(`answers 502 to a message with ${what}, first or last, and does not ask the provider`, async () => {
      const [asked] = question().messages;
      for (const messages of [[element], [element, asked], [asked, element]]) {
        app.lines.length = 0;
        const response = await app.demo({ messages });
        expect(response.status).to.equal(502);
        expect(await response.text()).to.equal('UPSTREAM_ERROR: The model could not finish the reply.');
        const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat/demo'));
        expect(line).to.include({ status: 502, code: 'UPSTREAM_BAD_REQUEST' });
      }
      expect(app.provider.requests).to.have.length(0);
    });
  }

  it('logs a refusal as what it was', async () => {
    app.lines.length = 0;
    app.provider.answerWith({ refuse: { status: 401, type: 'authentication_error', message: 'Bad key.' } });
    await (await app.demo(question())).text();
    const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat/demo'));
    expect(line).to.include({ status: 502, code: 'UPSTREAM_AUTH', level: 50 });
  });

  it('refuses a body that is not declared as JSON, and takes any +json type', async () => {
    expect((await app.demo(question(), { 'Content-Type': 'text/plain' })).status).to.equal(400);
    expect((await app.demo(question(), { 'Content-Type': 'application/vnd.example+json' })).status).to.equal(200);
  });

  it('refuses on the way out with the code that sends the client elsewhere', async () => {
    await using leaving = await createTestApp({ shared: { storage: app.storage } });
    leaving.draining.abort();
    const response = await leaving.demo(question());
    expect(response.status).to.equal(503);
    expect(await response.text()).to.match(/^UPSTREAM_OVERLOADED: /);
  });
});
