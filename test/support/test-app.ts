import type { RequestListener } from 'node:http';
import express from 'express';
import { createAdmission } from '../../server/admission.ts';
import { createApp, type Parts } from '../../server/app.ts';
import { loadConfig } from '../../server/config/config.ts';
import { startEmulatedSignIn } from '../../server/embedded/emulated-sign-in.ts';
import { createHttpServer, listen } from '../../server/http/http-server.ts';
import { createLogger } from '../../server/http/logger.ts';
import type { Limits } from '../../server/limits/limiter.ts';
import { createAnthropicModel } from '../../server/model/anthropic-model.ts';
import type { RedisClient } from '../../server/redis/client.ts';
import type { Traces } from '../../server/tracing/traces.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { createBrowser } from './browser.ts';
import { withDescribedAnswers } from './described-answers.ts';
import { atEndOfRun } from './end-of-run.ts';
import { exampleOnboarding } from './example-onboarding.ts';
import { createScriptedProvider } from './scripted-provider.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export { exampleOnboarding };

export type AppOptions = Partial<
  Pick<Parts, 'providers' | 'database' | 'pages' | 'sessionSecrets' | 'observe' | 'replyWatchMilliseconds'> &
    Omit<Parts['config'], 'tokensPerDay'>
> & {
  redis?: RedisClient;
  /** Of its requests and of the provider's replies; those of the database are made where `database` is. */
  traces?: Traces;
  publicUrl?: string;
  /** How many requests each limit admits. */
  limits?: Partial<Record<keyof Limits, number>>;
  tokensPerDay?: Partial<Parts['config']['tokensPerDay']>;
  clock?: () => number;
  idleTimeoutMilliseconds?: number;
  /** Turns under way: in all, of one person, of demo chat. */
  maxStreams?: number;
  maxStreamsPerUser?: number;
  maxStreamsDemo?: number;
  maxLateWrites?: number;
  /** How long a reply waits for its answer to be stored. */
  lateAfterMilliseconds?: number;
  /** How long a request may take to arrive, in milliseconds. */
  arrival?: { headersTimeout: number; requestTimeout: number };
  /** Share another test application's database, as a second instance does. */
  shared?: { storage: TestDatabase };
};

const secret = 'a secret of at least thirty-two characters';

const shipped = loadConfig({});

/**
 * The real application on a free port, with a database of its own and a provider that does as it is told. Its limits are
 * those of the product unless a test sets others. Declare it with `await using`, or close it in a hook: what a failed
 * test leaves open keeps the run from ending.
 */
export async function createTestApp(options: AppOptions = {}) {
  const manyStreams = { maxStreams: 1000, maxStreamsPerUser: 1000, maxStreamsDemo: 1000 };
  const limits = withRequests(options.limits ?? {});
  const tokensPerDay = { ...shipped.tokensPerDay, ...options.tokensPerDay };
  const config = { ...shipped, ...manyStreams, ...options, limits, tokensPerDay };
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const storage = options.shared?.storage ?? (await createTestDatabase(logger));
  const provider = await createScriptedProvider();
  const model = createAnthropicModel({
    apiKey: 'test-key',
    baseUrl: provider.url,
    model: 'claude-test',
    idleTimeoutMilliseconds: options.idleTimeoutMilliseconds ?? 10_000,
  });
  const draining = new AbortController();
  const graceEnded = new AbortController();
  const admission = createAdmission({
    config,
    redis: options.redis,
    logger,
    ...(options.clock && { clock: options.clock }),
    lateWrites: {
      ...(options.lateAfterMilliseconds !== undefined && { timeoutMilliseconds: options.lateAfterMilliseconds }),
      ...(options.maxLateWrites !== undefined && { maxLate: options.maxLateWrites }),
    },
  });

  const http = createHttpServer({ ...options.arrival, logger });
  const { server } = http;
  const serve = (application: RequestListener) => http.serve(withDescribedAnswers(application));
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  const url = `http://localhost:${port}`;
  serve(
    createApp({
      config,
      publicUrl: options.publicUrl ?? url,
      sessionSecrets: options.sessionSecrets ?? [secret],
      providers: options.providers ?? (await emulatedProviders()),
      database: options.database ?? storage.database,
      model: options.traces?.model(model) ?? model,
      ...admission,
      ...(options.observe && { observe: options.observe }),
      ...(options.traces && { observe: options.traces.observe, trace: options.traces.request }),
      ...(options.replyWatchMilliseconds && { replyWatchMilliseconds: options.replyWatchMilliseconds }),
      pages: options.pages ?? express.Router(),
      stopping: draining.signal,
      draining: draining.signal,
      graceEnded: graceEnded.signal,
      logger,
    }),
  );

  async function close() {
    server.close();
    server.closeAllConnections();
    await model.close();
    await provider.close();
    if (options.shared === undefined) await storage.close();
  }

  const app = {
    url,
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

    /** A person who has signed in, and by default been through onboarding. */
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

/** The product's limits, with other numbers of requests where a test sets them. */
function withRequests(numbers: Partial<Record<keyof Limits, number>>): Limits {
  const limits: Limits = structuredClone(shipped.limits);
  for (const [name, limit] of Object.entries(limits)) limit.requests = numbers[name as keyof Limits] ?? limit.requests;
  return limits;
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

type PersonOptions = { provider?: ProviderName; who?: string; onboarded?: boolean };

/** A conversation of one question. */
export const question = (content: unknown = 'Where do we start?') => ({ messages: [{ role: 'user', content }] });

/** Posts `body` as JSON; a string goes as it is. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

let emulated: ReturnType<typeof startEmulatedSignIn> | undefined;

/** One set of emulators for all tests: they know no applications. */
async function emulatedProviders() {
  emulated ??= startEmulatedSignIn(providerNames);
  return (await emulated).settings;
}

atEndOfRun(async () => {
  await (await emulated)?.close();
});
