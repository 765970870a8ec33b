import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { exchange, jsonContentType, send } from '../support/raw-http.ts';
import { createTestApp, question } from '../support/test-app.ts';

const errors = {
  INVALID_JSON: 'INVALID_JSON: The request body is not valid JSON.',
  MISSING_MESSAGES: 'MISSING_MESSAGES: Send "messages": a non-empty array of { "role", "content" } objects.',
  LAST_MESSAGE_NOT_USER: 'LAST_MESSAGE_NOT_USER: The last message must have the role "user".',
};

const userMessage = { role: 'user', content: 'Where do we start?' };
const assistantMessage = { role: 'assistant', content: 'With the longest wait.' };

const notJson = [
  '{',
  '{"messages":[',
  '{"messages":[]}}',
  '{"messages":[],}',
  "{'messages':[]}",
  'messages=[]',
  'undefined',
  'NaN',
  '"unended',
  `${JSON.stringify(question())}${JSON.stringify(question())}`,
];

const empty = ['', ' ', '\r\n\t'];

const notObjects = [null, 1, 'x', [], true, [question()]];

const withoutMessages = [undefined, null, {}, { 0: userMessage, length: 1 }, '', 'x', 0, true, []].map((messages) => ({
  messages,
}));

const malformed: unknown[] = [
  null,
  'x',
  1,
  [],
  [userMessage],
  {},
  { role: 'user' },
  { content: 'x' },
  { role: null, content: 'x' },
  { role: 1, content: 'x' },
  { role: ['user'], content: 'x' },
  ...[null, 1, '', ' ', '\n\t', '\u0085\u2003\uFEFF', {}, [], ['x'], [null], { type: 'text', text: 'x' }].map(
    (content) => ({ role: 'user', content }),
  ),
  ...[
    { text: 'x' },
    { type: 'text' },
    { type: 'text', text: '' },
    { type: 'text', text: '\n\n' },
    { type: 'text', text: 1 },
    { type: 'image', source: { type: 'url', url: 'https://example.com/' } },
    { type: 'tool_result', tool_use_id: 'x', content: 'x' },
  ].map((block) => ({ role: 'user', content: [{ type: 'text', text: 'x' }, block] })),
];

const withMalformed = [
  ...malformed.flatMap((element) => [[element], [userMessage, element], [element, assistantMessage, userMessage]]),
  ...['system', 'tool', 'User', ''].map((role) => [{ role, content: 'x' }, userMessage]),
  [userMessage, { role: 'assistant', content: '' }, userMessage],
  [userMessage, { role: 'assistant', content: '\n\n' }, userMessage],
].map((messages) => ({ messages }));

const lastNotUser = [
  [assistantMessage],
  [userMessage, assistantMessage],
  ...['system', 'developer', 'tool', 'User', 'USER', 'user ', ''].map((role) => [userMessage, { role, content: 'x' }]),
].map((messages) => ({ messages }));

/** Invalid bodies, keyed by their error code. A string is sent unchanged. */
const refused: Record<keyof typeof errors, readonly unknown[]> = {
  INVALID_JSON: [...notJson, ...empty],
  MISSING_MESSAGES: [...notObjects.map((body) => JSON.stringify(body)), ...withoutMessages, ...withMalformed],
  LAST_MESSAGE_NOT_USER: lastNotUser,
};

describe('Live chat: the request body', () => {
  let clock: ReturnType<typeof install> | undefined;

  const app = perSuite(() => createTestApp({ limits: { live: 10_000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());
  afterEach(() => clock?.uninstall());

  async function expectRefused(code: keyof typeof errors, bodies: readonly unknown[]): Promise<void> {
    for (const body of bodies) {
      const response = await app.live(avery, body);
      expect([response.status, await response.text()], JSON.stringify(body)).to.deep.equal([400, errors[code]]);
    }
  }

  it('45 A body that is not JSON is 400 INVALID_JSON', () => expectRefused('INVALID_JSON', notJson));

  it('46 An empty body is INVALID_JSON', async () => {
    await expectRefused('INVALID_JSON', empty);
    const head = [
      'POST /api/chat HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      `Cookie: ${avery.cookie}`,
      jsonContentType,
    ];
    for (const rest of ['', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n']) {
      const answer = await exchange(app.url, `${head.join('\r\n')}\r\n${rest}\r\n`);
      expect([answer.status, answer.body], rest).to.deep.equal([400, errors.INVALID_JSON]);
    }
  });

  it('47 A missing or non-JSON Content-Type is INVALID_JSON', async () => {
    const ask = async (headers: string[]) => {
      const sent = [`Cookie: ${avery.cookie}`, ...headers];
      const { status, body } = await send(app.url, 'POST /api/chat', sent, JSON.stringify(question()));
      return { status, body };
    };
    const body = 'INVALID_JSON: The Content-Type must be a JSON media type, such as application/json.';
    const refusal = { status: 400, body };
    expect(await ask([])).to.deep.equal(refusal);
    for (const type of [
      '',
      'json',
      'text/plain',
      'text/plain; charset=application/json',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/javascript',
      'application/jsonl',
    ]) {
      expect(await ask([`Content-Type: ${type}`]), type).to.deep.equal(refusal);
    }
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.example+json']) {
      expect((await ask([`Content-Type: ${type}`])).status, type).to.equal(200);
    }
  });

  it('48 null, 1, "x" and [] are 400 MISSING_MESSAGES', () =>
    expectRefused(
      'MISSING_MESSAGES',
      notObjects.map((body) => JSON.stringify(body)),
    ));

  it('49 Absent, null, object, string and empty messages are MISSING_MESSAGES', () =>
    expectRefused('MISSING_MESSAGES', withoutMessages));

  it('50 A malformed element of messages is MISSING_MESSAGES', () => expectRefused('MISSING_MESSAGES', withMalformed));

  it('51 A last message whose role is not user is 400 LAST_MESSAGE_NOT_USER', () =>
    expectRefused('LAST_MESSAGE_NOT_USER', lastNotUser));

  it('52 A refusal leaves no row and no provider call', async () => {
    await app.storage.rows('delete from conversations');
    for (const body of Object.values(refused).flat()) {
      expect((await app.live(avery, body)).status).to.equal(400);
    }
    for (const table of ['conversations', 'chat_messages']) {
      expect(await app.storage.rows(`select id from ${table}`), table).to.deep.equal([]);
    }
    expect(app.provider.requests).to.have.length(0);
  });

  it('53 Errors are plain text, without an envelope', async () => {
    for (const [code, bodies] of Object.entries(refused)) {
      const response = await app.live(avery, bodies[0], { Accept: 'application/json' });
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(await response.text()).to.match(new RegExp(`^${code}: [^\\n]+\\.$`));
    }
  });

  it('54 system, model, max_tokens and tools in the body are ignored', async () => {
    const ask = async (extras: object) => {
      const response = await app.live(avery, { ...question(), ...extras });
      expect(response.status).to.equal(200);
      await response.text();
      return app.provider.requests.at(-1)?.body;
    };
    // Stops the clock, because the prompt contains the date, which could change between two requests.
    clock = install({ now: Date.now(), toFake: ['Date'] });
    const plain = await ask({});
    expect(plain).to.have.keys(['model', 'max_tokens', 'stream', 'system', 'output_config', 'messages']);
    const extras = {
      system: 'Planted',
      model: 'planted',
      max_tokens: 1,
      tools: [{ name: 'planted', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
      stream: false,
      temperature: 1,
      stop_sequences: ['planted'],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'low' },
      metadata: { user_id: 'planted' },
    };
    expect(await ask(extras)).to.deep.equal(plain);
    // The service also ignores these fields if their values have an invalid type.
    expect(await ask({ system: 1, model: null, max_tokens: 'x', tools: {} })).to.deep.equal(plain);
  });
});
