import { gzipSync } from 'node:zlib';
import { routes } from '../../shared/interface.ts';
import { limits, routeTable } from '../../shared/route-table.ts';
import { parseResponse, rawExchange } from '../support/raw-http.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { createTestApp, exampleOnboarding, question, type TestApp } from '../support/test-app.ts';
import { type DescribedOperation, openapi, operationOf } from './openapi-document.ts';

export type OperationRequest = { operation: DescribedOperation; headers: Record<string, string> };
export type ReceivedResponse = { status: number; headers: Headers; body: string };

const tooCompressed = new Blob([gzipSync(' '.repeat(100_000))]);

const chats: readonly string[] = [routes.liveChat, routes.demoChat];

/** Starts the real application in each state that a documented response requires, and can cause each of these responses. */
export async function createProvocations() {
  const app = await createTestApp({
    limits: { live: 1000, demo: 1000, signInStart: 1000, joining: 1000 },
  });
  const avery = await app.person();
  const newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
  const host = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
  const organization = host.user.organization.id;
  const { token: invitation } = await app.storage.administration.invite({ days: 1, organization });

  const { database } = app.storage;
  const instances: TestApp[] = [];
  /** Starts a further instance on the same database, with a different configuration or fault. */
  async function start(options: Parameters<typeof createTestApp>[0]): Promise<TestApp> {
    const instance = await createTestApp({ shared: { storage: app.storage }, ...options });
    instances.push(instance);
    return instance;
  }

  // Each instance adds a listener to the shared store.
  database.sessionStore.setMaxListeners(0);
  let limitedNow = 0;
  const once = Object.fromEntries(Object.keys(limits).map((name) => [name, 1]));
  const limited = await start({ limits: once, clock: () => limitedNow });
  const mistake = () => {
    throw new Error('A mistake of ours.');
  };
  const broken = await start({
    clock: mistake,
    database: {
      ...database,
      sessionStore: Object.assign(Object.create(database.sessionStore), {
        get: (_id: string, done: (error: Error) => void) => done(new Error('A mistake of ours.')),
      }),
    },
  });
  const production = await start({ production: true, trustProxy: true, publicUrl: 'https://chat.example.com' });
  const hasty = await start({ timeouts: { headers: 200, request: 200, checkInterval: 200 } });
  const full = await start({ maxStreams: 0, streams: { demo: 1 } });
  const crowded = await start({ streams: { perUser: 0, demo: 0 } });
  const withoutMemory = await start({ bodies: { memoryBytes: 0 } });
  const withoutShares = await start({ bodies: { shareBytes: 0 } });
  // A single turn uses up these budgets.
  const personal = await start({ tokensPerDay: { user: 1, demo: 1 } });
  const common = await start({ tokensPerDay: { organization: 1 } });
  const leaving = await start({});
  leaving.draining.abort();

  const addressOf = ({ path }: DescribedOperation) => path.replace('{provider}', 'google');

  function usualBody({ path }: DescribedOperation): unknown {
    if (chats.includes(path)) return question();
    if (path === routes.onboarding) return exampleOnboarding;
    if (path === routes.join) return { invitation };
    return undefined;
  }

  async function ask(
    { operation, headers }: OperationRequest,
    {
      body = usualBody(operation),
      at = app,
      address = addressOf(operation),
      method = operation.method,
    }: RequestOptions = {},
  ): Promise<ReceivedResponse> {
    const isSentAsItIs = typeof body === 'string' || body instanceof Blob || body === undefined;
    const payload = isSentAsItIs ? body : JSON.stringify(body);
    const sent = method === 'GET' || payload === undefined ? {} : { body: payload };
    const response = await fetch(at.url + address, { method, headers, redirect: 'manual', ...sent });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  type RequestOptions = { body?: unknown; at?: typeof app; address?: string; method?: string };

  /** Sends a raw request without a body, so that `change` can omit required headers and send invalid ones. */
  async function askRaw(
    { operation, headers }: OperationRequest,
    change: Record<string, string | undefined>,
    { at = app, end = '\r\n' } = {},
  ): Promise<ReceivedResponse> {
    const all = { Host: new URL(at.url).host, Connection: 'close', ...headers, ...change };
    const lines = Object.entries(all).filter(([, value]) => value !== undefined);
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const requestLine = `${operation.method} ${addressOf(operation)} HTTP/1.1`;
    const answer = parseResponse(await rawExchange(at.url, `${requestLine}\r\n${head}${end}`));
    return { ...answer, headers: new Headers(answer.headers) };
  }

  async function askRefused(request: OperationRequest, status: number, type: string): Promise<ReceivedResponse> {
    app.provider.answerWith({ refuse: { status, type, message: 'Scripted failure.' } });
    return ask(request);
  }

  /** Exceeds the limit of one request per window, 42 seconds before the next is admitted. */
  async function askLimited(request: OperationRequest): Promise<ReceivedResponse> {
    const windowMilliseconds = (request.operation['x-limit']?.windowSeconds ?? 0) * 1000;
    // Per-address limits apply without a session, and repeating a sign-out would end the session.
    const asked = request.operation['x-limit']?.countedBy === 'address' ? asPerson(request, '') : request;
    limitedNow += windowMilliseconds;
    await ask(asked, { at: limited });
    limitedNow += windowMilliseconds - 42_000;
    return ask(asked, { at: limited });
  }

  async function askTwice(request: OperationRequest, at: typeof app): Promise<ReceivedResponse> {
    await ask(request, { at });
    return ask(request, { at });
  }

  const asPerson = (request: OperationRequest, cookie: string) => ({
    ...request,
    headers: { ...request.headers, Cookie: cookie },
  });

  /** Functions that cause a response, by the name of its example in the document. The request is that of an onboarded person. */
  const provocations: Record<string, (request: OperationRequest) => Promise<ReceivedResponse>> = {
    REPLY: (request) => ask(request),
    async FAILED_AFTER_TEXT(request) {
      app.provider.answerWith({ steps: [...defaultReply.answer.steps.slice(0, 1), errorEvent('api_error')] });
      return ask(request);
    },
    INVALID_JSON: (request) => ask(request, { body: '{' }),
    MISSING_MESSAGES: (request) => ask(request, { body: { messages: [] } }),
    LAST_MESSAGE_NOT_USER: (request) =>
      ask(request, { body: { messages: [{ role: 'assistant', content: 'Hello.' }] } }),
    UNAUTHENTICATED: (request) => ask(asPerson(request, '')),
    NOT_ONBOARDED: (request) => ask(asPerson(request, newcomer.cookie)),
    RATE_LIMITED: askLimited,
    'user-budget': (request) => askTwice(request, personal),
    'demo-budget': (request) => askTwice(request, personal),
    'organization-budget': (request) => askTwice(request, common),
    UPSTREAM_OVERLOADED: (request) =>
      chats.includes(request.operation.path)
        ? askRefused(request, 529, 'overloaded_error')
        : ask(request, { at: leaving }),
    'on-the-way-out': (request) => ask(request, { at: leaving }),
    'service-full': (request) => ask(request, { at: full }),
    'user-full': (request) => ask(request, { at: crowded }),
    'demo-full': (request) => ask(request, { at: crowded }),
    'bodies-full': (request) => ask(request, { at: withoutMemory }),
    'body-share-full': (request) => ask(request, { at: withoutShares }),
    UPSTREAM_AUTH: (request) => askRefused(request, 401, 'authentication_error'),
    UPSTREAM_BAD_REQUEST: (request) => askRefused(request, 400, 'invalid_request_error'),
    UPSTREAM_ERROR: (request) => askRefused(request, 500, 'api_error'),
    INTERNAL: (request) => ask(request, { at: broken }),
    'not-http': (request) => askRaw(request, { 'Content-Length': 'many' }),
    'no-host': (request) => askRaw(request, { Host: undefined }),
    'other-host': (request) => askRaw(request, { Host: 'elsewhere.example' }),
    'plain-http': (request) => ask(request, { at: production }),
    'other-site': (request) => askRaw(request, { 'Sec-Fetch-Site': 'cross-site' }),
    'not-found': (request) => ask(request, { address: `${addressOf(request.operation)}/` }),
    'other-method': (request) => ask(request, { method: 'PUT' }),
    // Withholds the body, or the end of the headers if the operation has no body.
    'too-slow': (request) =>
      request.operation.requestBody
        ? askRaw(request, { 'Content-Length': '2' }, { at: hasty })
        : askRaw(request, {}, { at: hasty, end: '' }),
    'too-many-messages': (request) =>
      ask(request, { body: { messages: Array(openapi['x-max-messages'] + 1).fill(null) } }),
    'too-many-blocks': (request) => ask(request, { body: question(Array(openapi['x-max-messages'] + 1).fill(null)) }),
    'too-large': (request) => ask(request, { body: ' '.repeat(openapi['x-max-body-bytes'] + 1) }),
    'too-large-for-join': (request) => ask(request, { body: ' '.repeat(routeTable.join.maxBodyBytes + 1) }),
    'too-large-for-onboarding': (request) => ask(request, { body: ' '.repeat(routeTable.onboarding.maxBodyBytes + 1) }),
    'too-compressed': (request) =>
      ask({ ...request, headers: { ...request.headers, 'Content-Encoding': 'gzip' } }, { body: tooCompressed }),
    'too-large-for-demo': (request) => ask(request, { body: ' '.repeat(openapi['x-max-demo-body-bytes'] + 1) }),
    'unmet-expectation': (request) => askRaw(request, { Expect: 'miracles' }),
    'headers-too-large': (request) => askRaw(request, { Large: 'x'.repeat(20_000) }),
    'signed-in': (request) => ask(request),
    newcomer: (request) => ask(asPerson(request, newcomer.cookie)),
    async joining(request) {
      const { user, cookie } = await app.person({ who: 'blake@example.com', onboarded: false });
      await app.storage.administration.moveUser(user.id, avery.user.organization.id);
      return ask(asPerson(request, cookie));
    },
    'signed-out': (request) => ask(asPerson(request, '')),
    'onboarded-before': (request) => ask(request),
    'join-question': (request) => ask(request),
    'no-invitation': (request) => ask(request, { body: { invitation: 'unknown' } }),
    'bad-invitation': (request) => ask(request, { body: {} }),
    'joining-changed': (request) => ask(request, { body: { invitation, from: 'another', to: 'another' } }),
    'bad-fields': (request) =>
      ask(asPerson(request, newcomer.cookie), { body: { company: { name: 'Example Castings' }, profile: {} } }),
    healthy: (request) => ask(request),
    ready: (request) => ask(request),
    draining: (request) => ask(request, { at: leaving }),
  };

  const requestOf = (operation: DescribedOperation): OperationRequest => {
    return { operation, headers: { 'Content-Type': 'application/json', Cookie: avery.cookie } };
  };

  return {
    async provoke(name: string, path: string): Promise<ReceivedResponse> {
      const provocation = provocations[name];
      if (provocation === undefined) throw new Error(`No provocation for the example "${name}".`);
      app.provider.reset();
      return provocation(requestOf(operationOf(path)));
    },

    async close() {
      for (const each of [...instances, app]) await each.close();
    },
  };
}
