import { parseResponse, rawExchange } from '../support/raw-http.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';
import { openapi, operationOf } from './openapi-document.ts';

export type Request = { path: string; headers: Record<string, string> };
export type Answer = { status: number; headers: Headers; body: string };

/** The real application in every state that an answer needs, and how each answer comes about. */
export async function createProvocations() {
  const app = await createTestApp({ limits: { live: 1000, demo: 1000 } });
  const avery = await app.person();
  const newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });

  // Instances on the same database, in each of which something is other than usual.
  const shared = { storage: app.storage };
  let limitedNow = 0;
  const limited = await createTestApp({ shared, limits: { live: 1, demo: 1 }, clock: () => limitedNow });
  const broken = await createTestApp({
    shared,
    clock: () => {
      throw new Error('A mistake of ours.');
    },
  });
  const production = await createTestApp({
    shared,
    production: true,
    trustProxy: true,
    publicUrl: 'https://chat.example.com',
  });
  const hasty = await createTestApp({ shared, arrival: { headersTimeout: 200, requestTimeout: 200 } });
  const full = await createTestApp({ shared, maxStreams: 0 });
  const crowded = await createTestApp({ shared, maxStreamsPerUser: 0, maxStreamsDemo: 0 });
  const leaving = await createTestApp({ shared });
  leaving.draining.abort();

  async function ask({ path, headers }: Request, body: unknown = question(), at = app): Promise<Answer> {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(at.url + path, { method: 'POST', headers, body: payload });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  /** Sends what no HTTP client would: the header lines of a request, changed by hand, and no body. */
  async function askRaw(request: Request, change: Record<string, string | undefined>, at = app): Promise<Answer> {
    const headers = { Host: new URL(at.url).host, Connection: 'close', ...request.headers, ...change };
    const lines = Object.entries(headers).filter(([, value]) => value !== undefined);
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const answer = parseResponse(await rawExchange(at.url, `POST ${request.path} HTTP/1.1\r\n${head}\r\n`));
    return { ...answer, headers: new Headers(answer.headers) };
  }

  async function askRefused(request: Request, status: number, type: string): Promise<Answer> {
    app.provider.answerWith({ refuse: { status, type, message: 'Scripted failure.' } });
    return ask(request);
  }

  const asPerson = (request: Request, cookie: string) => ({
    ...request,
    headers: { ...request.headers, Cookie: cookie },
  });

  /** By the names of the document's examples; each takes a request of a signed-in, onboarded person. */
  const provocations: Record<string, (request: Request) => Promise<Answer>> = {
    REPLY: (request) => ask(request),
    async FAILED_AFTER_TEXT(request) {
      app.provider.answerWith({ steps: [...defaultReply.answer.steps.slice(0, 1), errorEvent('api_error')] });
      return ask(request);
    },
    INVALID_JSON: (request) => ask(request, '{'),
    MISSING_MESSAGES: (request) => ask(request, { messages: [] }),
    LAST_MESSAGE_NOT_USER: (request) => ask(request, { messages: [{ role: 'assistant', content: 'Welcome.' }] }),
    UNAUTHENTICATED: (request) => ask(asPerson(request, '')),
    NOT_ONBOARDED: (request) => ask(asPerson(request, newcomer.cookie)),
    async RATE_LIMITED(request) {
      const windowMilliseconds = operationOf(request.path)['x-limit'].windowSeconds * 1000;
      limitedNow += windowMilliseconds;
      await ask(request, question(), limited);
      limitedNow += windowMilliseconds - 42_000;
      return ask(request, question(), limited);
    },
    UPSTREAM_OVERLOADED: (request) => askRefused(request, 529, 'overloaded_error'),
    'on-the-way-out': (request) => ask(request, question(), leaving),
    'service-full': (request) => ask(request, question(), full),
    'person-full': (request) => ask(request, question(), crowded),
    'demo-full': (request) => ask(request, question(), crowded),
    UPSTREAM_AUTH: (request) => askRefused(request, 401, 'authentication_error'),
    UPSTREAM_BAD_REQUEST: (request) => askRefused(request, 400, 'invalid_request_error'),
    UPSTREAM_ERROR: (request) => askRefused(request, 500, 'api_error'),
    INTERNAL: (request) => ask(request, question(), broken),
    'not-http': (request) => askRaw(request, { 'Content-Length': 'many' }),
    'no-host': (request) => askRaw(request, { Host: undefined }),
    'plain-http': (request) => ask(request, question(), production),
    'other-site': (request) => askRaw(request, { 'Sec-Fetch-Site': 'cross-site' }),
    'too-slow': (request) => askRaw(request, { 'Content-Length': '2' }, hasty),
    'too-many-messages': (request) => ask(request, { messages: Array(openapi['x-max-messages'] + 1).fill(null) }),
    'too-many-blocks': (request) => ask(request, question(Array(openapi['x-max-messages'] + 1).fill(null))),
    'too-large': (request) => ask(request, ' '.repeat(openapi['x-max-body-bytes'] + 1)),
    'unmet-expectation': (request) => askRaw(request, { Expect: 'miracles' }),
    'headers-too-large': (request) => askRaw(request, { Large: 'x'.repeat(20_000) }),
  };

  return {
    app,
    production,
    names: Object.keys(provocations),

    /** Brings the answer about that the document's example of this name is of, by a request to `path`. */
    async provoke(name: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
      const provocation = provocations[name];
      if (provocation === undefined) throw new Error(`Nothing provokes "${name}".`);
      app.provider.reset();
      return provocation({ path, headers: { 'Content-Type': 'application/json', Cookie: avery.cookie, ...headers } });
    },

    async close() {
      for (const each of [limited, broken, production, hasty, full, crowded, leaving, app]) await each.close();
    },
  };
}
