import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import type { ProviderAnswer, ProviderRequest } from '../../../../server/embedded/provider-answer.ts';
import { createLogger } from '../../../../server/http/process/logger.ts';
import { connectRedis } from '../../../../server/redis/client.ts';
import { createBrowser } from '../../../support/browser.ts';
import { closing } from '../../../support/closing.ts';
import { eventually } from '../../../support/eventually.ts';
import { listen } from '../../../support/loopback.ts';
import { createTestApp, exampleOnboarding, post, question, type TestApp } from '../../../support/test-app.ts';

/** A Redis that lets everybody in and refuses the commands in `refused`, each with an error that quotes all it was sent. */
async function createQuotingRedis(refused: readonly string[]) {
  const server = createTcpServer((socket) => {
    let sent = '';
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      // Several commands can come at once. Each is an array of texts, its name the first.
      for (const command of text.split(/(?=\*\d+\r\n\$)/)) {
        sent += command.replaceAll('\r\n', ' ');
        const name = command.split('\r\n')[2]?.toLowerCase() ?? '';
        if (refused.includes(name)) socket.write(`-ERR what was sent: ${sent}\r\n`);
        else if (name === 'info') socket.write('$9\r\nloading:0\r\n');
        else socket.write('+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

const canary = 'canary4f7e9d';
const asked = question(`${canary} 'one'\n    at ${canary} (node:fs:1:1)\n${canary}`);
const mostCharacters = 8192;

/** No line, at any level, has any of these, and none is long. */
function expectQuiet(lines: readonly unknown[], ...secrets: string[]): void {
  expect(lines).not.to.be.empty;
  for (const line of lines) {
    const text = JSON.stringify(line);
    expect(text.length).to.be.lessThan(mostCharacters);
    for (const secret of [canary, 'test-key', ...secrets])
      expect(text.toLowerCase()).not.to.include(secret.toLowerCase());
  }
}

/** Everything that the provider was sent, and more than a log line should ever hold. */
const quote = ({ headers, body }: ProviderRequest) =>
  `${headers.authorization} ${JSON.stringify(body)} ${JSON.stringify(body.messages)}`.padEnd(22_000, canary);

const refusing =
  (status: number, type: string) =>
  (request: ProviderRequest): ProviderAnswer => ({ refuse: { status, type, message: quote(request) } });

const event = (type: string, request: ProviderRequest) => ({
  event: { type: 'error', error: { type, message: quote(request) } },
});

type Fault = { what: string; answer: (request: ProviderRequest) => ProviderAnswer; logged: Record<string, unknown> };

const faults: Fault[] = [
  {
    what: 'a refusal',
    answer: refusing(400, 'invalid_request_error'),
    logged: { type: 'BadRequestError', status: 400, providerType: 'invalid_request_error' },
  },
  {
    what: 'an error event after text',
    answer: (request) => ({ steps: [{ text: 'Half' }, event('api_error', request)] }),
    logged: { type: 'APIError', providerType: 'api_error' },
  },
  {
    what: 'an event that is no JSON',
    answer: (request) => ({ steps: [{ raw: `data: ${quote(request)}\n\n` }] }),
    logged: { type: 'SyntaxError' },
  },
];

describe('the log', () => {
  let app: TestApp;
  let avery: Awaited<ReturnType<TestApp['person']>>;
  /** What the prompt has of a person, and the session. */
  let secrets: string[];

  before(async () => {
    app = await createTestApp();
    avery = await app.person();
    secrets = [avery.cookie.split('=')[1] ?? '', 'avery@example.com', ...Object.values(exampleOnboarding.company)];
  });
  after(() => app.close());
  afterEach(() => app.provider.reset());

  const lineOf = (response: Response, lines = app.lines) =>
    eventually(() =>
      lines.find(({ requestId, status }) => requestId === response.headers.get('x-request-id') && status),
    );

  for (const { what, answer, logged } of faults) {
    it(`keeps of a provider's error its kind and its request id, and none of its words: ${what}`, async () => {
      app.lines.length = 0;
      app.provider.answerWith(answer);
      for (const response of [await app.live(avery, asked), await app.demo(asked)]) {
        await response.text();
        const { err, providerRequestId } = (await lineOf(response)) as {
          err: { cause: object };
          providerRequestId: string;
        };
        expect(err.cause).to.deep.include(logged);
        expect(err.cause).to.have.property('stack').that.includes('server/model/');
        expect(err.cause).not.to.have.property('message');
        expect(providerRequestId).to.match(/^req_/);
      }
      expectQuiet(app.lines, ...secrets);
    });
  }

  it('has no sentence in place of the model, the reason for stopping or a request id that the provider states', async () => {
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

  it('keeps of a refused row the constraint and the SQLSTATE, and nothing of the row', async () => {
    await using broken = await createTestApp();
    const person = await broken.person({ who: 'avery@example.com' });
    await broken.storage.rows("alter table chat_messages add constraint no_answers check (role <> 'ASSISTANT')");
    broken.lines.length = 0;
    broken.provider.answerWith({ steps: [{ text: canary }] });
    await (await broken.live(person, asked)).text();
    const lost = await eventually(() => broken.lines.find(({ msg }) => String(msg).startsWith('the database refused')));
    expect(lost)
      .to.have.property('err')
      .that.includes({ code: '23514', constraint: 'no_answers', table: 'chat_messages' });

    await broken.storage.rows(
      `alter table chat_messages add constraint no_questions check (content not like '%${canary}%') not valid`,
    );
    const response = await broken.live(person, asked);
    expect(response.status).to.equal(500);
    const line = await lineOf(response, broken.lines);
    expect(line).to.have.nested.property('err.cause').that.includes({ code: '23514', constraint: 'no_questions' });
    expectQuiet(broken.lines, ...secrets);
  });

  it('has nothing of a body or of headers that cannot be read', async () => {
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

  it('has of a failed sign-in its kind, and nothing that came with it', async () => {
    const quoting = createServer((_request, response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: canary, error_description: canary, access_token: '' }));
    });
    await using github = closing(await listen(quoting));
    const settings = { clientId: 'id', clientSecret: canary, baseUrl: `http://127.0.0.1:${github.port}` };
    await using gate = await createTestApp({ providers: { github: settings }, shared: app });
    const browser = createBrowser(gate.url);
    for (const query of [`code=${canary}`, `error=${canary}`, `error=${canary}&error_description=${canary}`]) {
      const { searchParams } = new URL(await browser.addressAtProvider('github'));
      const state = encodeURIComponent(searchParams.get('state') ?? '');
      const response = await browser.request(`/auth/github/callback?${query}&state=${state}`);
      expect(response.headers.get('location')).to.match(/^\/sign-in\?problem=/);
    }
    const failures = gate.lines.filter(({ msg }) => msg === 'A sign-in failed.');
    expect(failures.map(({ problem }) => problem)).to.deep.equal(['unavailable', 'cancelled', 'cancelled']);
    expectQuiet(gate.lines);
  });

  for (const [what, refused, sentence] of [
    ['a login', ['auth', 'hello'], 'Redis connection error'],
    ['a script', ['eval', 'evalsha'], 'Redis is away: this process counts by itself'],
  ] as const) {
    it(`has neither the password nor a key of Redis where it refuses ${what}`, async () => {
      await using server = closing(await createQuotingRedis(refused));
      const lines: Record<string, unknown>[] = [];
      const logger = createLogger({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
      const redis = connectRedis({ kind: 'server', url: `redis://visitor:${canary}@127.0.0.1:${server.port}` }, logger);
      // Before its server is closed, whatever fails in between.
      await using _connection = closing({ close: async () => redis.disconnect() });
      await using limited = await createTestApp({ redis, shared: app });
      const all = () => [...lines, ...limited.lines];
      if (what === 'a script') await eventually(() => (redis.status === 'ready' ? true : undefined));
      await (await limited.demo(asked, { 'X-Forwarded-For': canary })).text();
      const line = await eventually(() => all().find(({ msg }) => msg === sentence));
      expect(line).to.have.nested.property('err.code', 'ERR');
      expectQuiet(all());
    });
  }
});
