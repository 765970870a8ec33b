import type { RequestListener } from 'node:http';
import express from 'express';
import { createApp, type Dependencies } from '../../server/app.ts';
import { sessionCookie } from '../../server/auth/sessions.ts';
import { loadConfig } from '../../server/config/config.ts';
import { startEmulatedSignIn } from '../../server/embedded/emulated-sign-in.ts';
import { createHttpServer, listen, type Timeouts } from '../../server/http/http-server.ts';
import type { BodyBounds } from '../../server/http/json-body.ts';
import { createLogger } from '../../server/http/logger.ts';
import type { RequestLimits } from '../../server/limits/limiter.ts';
import { createAnthropicModel } from '../../server/model/anthropic-model.ts';
import type { RedisClient } from '../../server/redis/redis-client.ts';
import { createAdmission } from '../../server/startup/admission.ts';
import type { Traces } from '../../server/tracing/traces.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { createBrowser } from './browser.ts';
import { failOnUndocumentedResponses } from './documented-responses.ts';
import { atEndOfRun } from './end-of-run.ts';
import { exampleOnboarding } from './example-onboarding.ts';
import { watchLeftovers } from './leftovers.ts';
import { createScriptedProvider } from './scripted-provider.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export { exampleOnboarding };

export type AppOptions = Partial<
  Pick<Dependencies, 'providers' | 'database' | 'pages' | 'sessionSecrets' | 'observe' | 'replyWatchMilliseconds'> &
    Pick<Dependencies, 'signInTimeoutMilliseconds'> &
    Omit<Dependencies['config'], 'tokensPerDay'>
> & {
  redis?: RedisClient;
  /** Traces requests and the provider's replies. Traces of the database are set up with `database`. */
  traces?: Traces;
  publicUrl?: string;
  limits?: Partial<Record<keyof RequestLimits, number>>;
  tokensPerDay?: Partial<Dependencies['config']['tokensPerDay']>;
  clock?: () => number;
  idleTimeoutMilliseconds?: number;
  maxStreams?: number;
  streams?: { perUser?: number; demo?: number };
  bodies?: BodyBounds;
  maxLateWrites?: number;
  /** How long a reply stays open at most until the answer is stored. Later writes are "late". */
  lateAfterMilliseconds?: number;
  timeouts?: Timeouts;
  /** Shares the database of another test application, like a second instance. */
  shared?: { storage: TestDatabase };
};

/** Longer than any test, so that a turn ends only by what the test does. */
const never = 3_600_000;

const secret = 'a secret of at least thirty-two characters';

const defaults = loadConfig({});

/**
 * Starts the real application on a free port, with a scripted provider and, unless it is `shared`, its own database. Limits have their
 * production values unless the test sets others. Declare it with `await using` or close it in a hook, because an open
 * application keeps the process alive after a failed test.
 */
export async function createTestApp(options: AppOptions = {}) {
  const limits = withRequests(options.limits ?? {});
  const tokensPerDay = { ...defaults.tokensPerDay, ...options.tokensPerDay };
  const config = { ...defaults, ...options, limits, tokensPerDay };
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const storage = options.shared?.storage ?? (await createTestDatabase(logger));
  const provider = await createScriptedProvider();
  const model = createAnthropicModel({
    apiKey: 'test-key',
    baseUrl: provider.url,
    model: 'claude-test',
    idleTimeoutMilliseconds: options.idleTimeoutMilliseconds ?? never,
  });
  const draining = new AbortController();
  const graceEnded = new AbortController();
  const admission = createAdmission({
    config,
    redis: options.redis,
    logger,
    ...(options.clock && { clock: options.clock }),
    ...(options.streams && { streams: options.streams }),
    ...(options.bodies && { bodies: options.bodies }),
    lateWrites: {
      ...(options.lateAfterMilliseconds !== undefined && { timeoutMilliseconds: options.lateAfterMilliseconds }),
      ...(options.maxLateWrites !== undefined && { maxLate: options.maxLateWrites }),
    },
  });

  const http = createHttpServer({
    maxConnections: Infinity,
    ...(options.timeouts && { timeouts: options.timeouts }),
    logger,
  });
  const { server } = http;
  const { replyWatchMilliseconds = 50 } = options;
  const leftovers = watchLeftovers({
    ...admission,
    signals: { draining: draining.signal, graceEnded: graceEnded.signal },
    requests: http.requests,
    provider,
    replyWatchMilliseconds,
  });
  const serve = (application: RequestListener) =>
    http.serve(failOnUndocumentedResponses(leftovers.watch(acceptCookies(application, cookieName))));
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const url = `http://localhost:${port}`;
  const publicUrl = options.publicUrl ?? url;
  const cookieName = sessionCookie(publicUrl).name;
  serve(
    createApp({
      config,
      publicUrl,
      sessionSecrets: options.sessionSecrets ?? [secret],
      providers: options.providers ?? (await emulatedProviders()),
      database: options.database ?? storage.database,
      model: options.traces?.traceModel(model) ?? model,
      ...admission,
      ...(options.observe && { observe: options.observe }),
      ...(options.traces && { observe: options.traces.observe, trace: options.traces.traceRequest }),
      replyWatchMilliseconds,
      signInTimeoutMilliseconds: options.signInTimeoutMilliseconds,
      pages: options.pages ?? express.Router(),
      stopping: draining.signal,
      draining: draining.signal,
      graceEnded: graceEnded.signal,
      logger,
    }),
  );

  async function close() {
    await using closed = new AsyncDisposableStack();
    if (options.shared === undefined) closed.defer(storage.close);
    closed.defer(provider.close);
    closed.defer(model.close);
    server.close();
    http.connections.closeAll();
    await leftovers.failOnLeftovers();
  }

  const app = {
    url,
    cookieName,
    server,
    provider,
    model,
    storage,
    lines,
    draining,
    graceEnded,
    ...admission,
    requests: http.requests,
    connections: http.connections,

    async person({ provider: name = 'google', who = 'avery@example.com', onboarded = true }: PersonOptions = {}) {
      const browser = createBrowser(url);
      await browser.signInWith(name, who);
      if (onboarded) {
        const response = await browser.post('/onboarding', exampleOnboarding);
        if (response.status !== 204 && response.status !== 409) throw new Error(`Onboarding gave ${response.status}.`);
      }
      const session = await (await browser.request('/auth/session')).json();
      return { browser, cookie: browser.cookies().join('; '), user: session.user };
    },

    demo: (body: unknown, headers: Record<string, string> = {}) => post(`${url}/api/chat/demo`, body, headers),

    live: ({ cookie }: { cookie: string }, body: unknown, headers: Record<string, string> = {}) =>
      post(`${url}/api/chat`, body, { Cookie: cookie, ...headers }),

    close,
    [Symbol.asyncDispose]: close,
  };
  return app;
}

/**
 * Passes the cookies of other test applications on under this one's name, which differs by the port: the instances of an installation
 * have one address.
 */
function acceptCookies(application: RequestListener, cookieName: string): RequestListener {
  return (request, response) => {
    const { headers } = request;
    if (headers.cookie !== undefined) headers.cookie = headers.cookie.replaceAll(/\badvisory-chat-\d+\b/g, cookieName);
    application(request, response);
  };
}

function withRequests(numbers: Partial<Record<keyof RequestLimits, number>>): RequestLimits {
  const limits: RequestLimits = structuredClone(defaults.limits);
  for (const [name, limit] of Object.entries(limits))
    limit.requests = numbers[name as keyof RequestLimits] ?? limit.requests;
  return limits;
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

export type Person = Awaited<ReturnType<TestApp['person']>>;

type PersonOptions = { provider?: ProviderName; who?: string; onboarded?: boolean };

export const question = (content: unknown = 'Where do we start?') => ({ messages: [{ role: 'user', content }] });

/** Posts `body` as JSON. A string is sent unchanged. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

let emulated: ReturnType<typeof startEmulatedSignIn> | undefined;

/** All tests in a process share one set of emulators, which hold no state about applications. */
async function emulatedProviders() {
  emulated ??= startEmulatedSignIn(providerNames);
  return (await emulated).settings;
}

atEndOfRun(async () => {
  await (await emulated)?.close();
});
