import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { errorGuide, isErrorCode } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { ulid } from '../conformance/support/request-id.ts';
import { ofSuite } from '../support/of-suite.ts';
import { parseResponse, rawExchange } from '../support/raw-http.ts';
import { undescribedIn } from './openapi-answers.ts';
import { type DescribedOperation, examplesOf, openapi, operationOf, operations } from './openapi-document.ts';
import { matcherOf } from './openapi-matcher.ts';
import { type Answer, createProvocations } from './provocations.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** What is answered before the request's headers are read cannot echo the id among them. */
function isUnread(name: string, { requestBody }: DescribedOperation): boolean {
  return ['not-http', 'headers-too-large'].includes(name) || (name === 'too-slow' && requestBody === undefined);
}

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false;

/** A wait that the clock of the database decides. */
const withoutSeconds = (body: unknown) => String(body).replace(/budget.* \d+ seconds/, 'budget … seconds');

/** A JSON value with a word in place of each text: who somebody is differs, and what is known of them does not. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'string' ? 'text' : each)));
}

/** That status, headers, content type and body of an answer are as the document has them. */
function expectDescribed(operation: DescribedOperation, { status, headers, body }: Answer) {
  expect(undescribedIn(operation, { status, headers: new Map(headers) })).to.equal(undefined);
  const response = operation.responses[status];
  for (const [name, { schema }] of Object.entries(response?.headers ?? {})) {
    const value = headers.get(name);
    const typed = schema.type === 'integer' ? Number(value) : value;
    if (value !== null) expect(matcherOf(schema)(typed), `${name}: ${value}`).to.equal(true);
  }
  for (const { schema } of Object.values(response?.content ?? {})) {
    expect(matcherOf(schema)(isJson(headers) ? JSON.parse(body) : body), body).to.equal(true);
  }
}

describe('docs/openapi.yaml, beside what is really answered', () => {
  let clock: ReturnType<typeof install> | undefined;

  const provocations = ofSuite(() => createProvocations());
  afterEach(() => clock?.uninstall());

  for (const operation of operations) {
    const { operationId, path, method, responses } = operation;
    const title = `${method} ${path}`;
    const isChat = path === routes.liveChat || path === routes.demoChat;

    for (const { status, name, value } of examplesOf(operation)) {
      it(`${title} is ${status} as described: ${name}`, async () => {
        if (path === routes.liveChat && isErrorCode(name) && !provocations.has(name)) {
          // errors.process.test.ts runs it and looks at the answer.
          expect(errorGuide[name].command, `a command or a provocation of ${name}`).to.be.a('string');
          return;
        }
        for (const id of ['as sent', undefined]) {
          const headers: Record<string, string> = id === undefined ? {} : { 'X-Request-Id': id };
          const answer = await provocations.provoke(name, path, headers);
          expect(answer.status).to.equal(status);
          if (name === 'bad-fields') expect(JSON.parse(answer.body)).to.deep.equal(value);
          else if (isJson(answer.headers)) expect(shapeOf(JSON.parse(answer.body))).to.deep.equal(shapeOf(value));
          else expect(withoutSeconds(answer.body)).to.equal(withoutSeconds(value));
          expectDescribed(operation, answer);

          const answeredId = answer.headers.get('x-request-id');
          if (id === undefined || isUnread(name, operation)) expect(answeredId).to.match(ulid);
          else expect(answeredId).to.equal(id);
          // Where another answer has one, the document says so, or this test has failed above.
          const stored = path === routes.liveChat && (status === 200 || name.startsWith('UPSTREAM_'));
          if (stored) expect(answer.headers.has('x-conversation-id')).to.equal(true);
        }
      });
    }

    it(`${title} answers nothing that is not described`, async () => {
      const seen = (await provocations.provokeOthers(operation)).map((answer) => {
        expectDescribed(operation, answer);
        return String(answer.status);
      });
      const shown = examplesOf(operation).map(({ status }) => String(status));
      expect(Object.keys(responses), operationId).to.have.members([...new Set([...seen, ...shown])]);
    });

    if (!isChat) continue;

    it(`${path} takes POST alone, and is another address with a slash at its end`, async () => {
      for (const other of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(provocations.app.url + path, { method: other });
        expect([response.status, response.headers.get('allow')], other).to.deep.equal([405, 'POST']);
      }
      expect((await provocations.provoke('not-found', path)).status).to.equal(404);
    });

    it(`${title} asks the model as described`, async () => {
      await provocations.provoke('REPLY', path);
      const { maxTokens, effort } = operation['x-model'] ?? {};
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
  });

  it('the session cookie is asked for where it says so, and nowhere else', () => {
    const either = [{ developmentSession: [] }, { session: [] }];
    const expected = new Map<string, object[]>([
      ['liveChat', either],
      ['onboard', either],
      ['join', either],
      ['signOutEverywhere', either],
      ['getSession', [...either, {}]],
      ['signOut', [...either, {}]],
    ]);
    for (const { operationId, security } of operations) {
      expect(security, operationId).to.deep.equal(expected.get(operationId) ?? []);
    }
  });

  it('live chat renews the session cookie after a day, as described', async () => {
    clock = install({ now: Date.now() + dayMilliseconds, toFake: ['Date'] });
    const answer = await provocations.provoke('REPLY', routes.liveChat);
    expect(answer.headers.getSetCookie()).to.have.length(1);
    expectDescribed(operationOf(routes.liveChat), answer);
  });
});
