import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { ulid } from '../conformance/support/request-id.ts';
import { parseResponse, rawExchange } from '../support/raw-http.ts';
import { examplesOf, matcherOf, openapi, operationOf } from './openapi-document.ts';
import { type Answer, createProvocations } from './provocations.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** HTTP's own headers, and those that harden browsers: the document does not list them. */
const beside = [
  'allow',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'etag',
  'keep-alive',
  'origin-agent-cluster',
  'referrer-policy',
  'reporting-endpoints',
  'strict-transport-security',
  'transfer-encoding',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** What is answered before the request's headers are read cannot echo the id among them. */
const unread = ['not-http', 'headers-too-large'];

/** That status, headers, content type and body of an answer are as the document has them. */
function expectDescribed(path: string, { status, headers, body }: Answer) {
  const operation = operationOf(path);
  const response = operation.responses[status];
  if (response === undefined) throw new Error(`${path} is not described with ${status}.`);

  for (const [name, { required, schema }] of Object.entries(response.headers)) {
    const value = headers.get(name);
    if (required) expect(value, name).not.to.equal(null);
    if (value !== null) expect(matcherOf(schema)(value), `${name}: ${value}`).to.equal(true);
  }
  const described = Object.keys(response.headers).map((name) => name.toLowerCase());
  expect([...described, ...beside]).to.include.members([...headers.keys()]);

  const content = response.content[headers.get('content-type') ?? ''];
  if (content === undefined) throw new Error(`${path} is not described with ${headers.get('content-type')}.`);
  expect(matcherOf(content.schema)(body), body).to.equal(true);
  const examples = examplesOf(operation).map((example) => ({ status: example.status, body: example.value }));
  expect(examples).to.deep.include({ status, body });
}

describe('docs/openapi.yaml, beside what is really answered', () => {
  let provocations: Awaited<ReturnType<typeof createProvocations>>;
  let clock: ReturnType<typeof install> | undefined;

  before(async () => {
    provocations = await createProvocations();
  });
  afterEach(() => clock?.uninstall());
  after(() => provocations.close());

  for (const path of [routes.liveChat, routes.demoChat]) {
    for (const { status, name, value } of examplesOf(operationOf(path))) {
      it(`POST ${path} is ${status} as described: ${name}`, async () => {
        for (const id of ['as sent', undefined]) {
          const answer = await provocations.provoke(name, path, id === undefined ? {} : { 'X-Request-Id': id });
          expect({ status: answer.status, body: answer.body }).to.deep.equal({ status, body: value });
          expectDescribed(path, answer);

          const answeredId = answer.headers.get('x-request-id');
          if (id === undefined || unread.includes(name)) expect(answeredId).to.match(ulid);
          else expect(answeredId).to.equal(id);
          const stored = path === routes.liveChat && (status === 200 || name.startsWith('UPSTREAM_'));
          expect(answer.headers.has('x-conversation-id')).to.equal(stored);
        }
      });
    }

    it(`POST ${path} answers nothing that is not described`, async () => {
      for (const name of provocations.names) expectDescribed(path, await provocations.provoke(name, path));
    });

    it(`POST ${path} has an example of each status`, () => {
      const statuses = examplesOf(operationOf(path)).map(({ status }) => String(status));
      expect(Object.keys(operationOf(path).responses)).to.have.members([...new Set(statuses)]);
    });

    it(`${path} takes POST alone, and is another address with a slash at its end`, async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(provocations.app.url + path, { method });
        expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, 'POST']);
      }
      expect((await provocations.provoke('REPLY', `${path}/`)).status).to.equal(404);
    });

    it(`POST ${path} asks the model as described`, async () => {
      await provocations.provoke('REPLY', path);
      const { maxTokens, effort } = operationOf(path)['x-model'];
      const [asked] = provocations.app.provider.requests;
      expect(asked?.body).to.deep.include({ max_tokens: maxTokens, output_config: { effort } });
    });
  }

  it('the session cookie is called as described, with HTTPS and without', async () => {
    const { app, production } = provocations;
    const { session, developmentSession } = openapi.components.securitySchemes;
    for (const [at, host, scheme] of [
      [production, 'chat.example.com', session],
      [app, new URL(app.url).host, developmentSession],
    ] as const) {
      const head = [`Host: ${host}`, 'X-Forwarded-Proto: https', 'Connection: close'].join('\r\n');
      const { headers } = parseResponse(
        await rawExchange(at.url, `POST /auth/sign-out HTTP/1.1\r\n${head}\r\nContent-Length: 0\r\n\r\n`),
      );
      expect(new Headers(headers).getSetCookie()[0]?.split('=')[0]).to.equal(scheme?.name);
    }
    expect(operationOf(routes.liveChat).security).to.deep.equal([{ session: [] }, { developmentSession: [] }]);
    expect(operationOf(routes.demoChat).security).to.deep.equal([]);
  });

  it('live chat renews the session cookie after a day, as described', async () => {
    clock = install({ now: Date.now() + dayMilliseconds, toFake: ['Date'] });
    const answer = await provocations.provoke('REPLY', routes.liveChat);
    expect(answer.headers.getSetCookie()).to.have.length(1);
    expectDescribed(routes.liveChat, answer);
  });
});
