import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from './app-error.ts';
import { createLateWrites } from './chat/late-writes.ts';
import { createStreamCeiling } from './chat/stream-ceiling.ts';
import type { Config } from './config/config.ts';
import { printableReason } from './config/secrets.ts';
import { openConfiguredDatabase } from './configured-database.ts';
import { openConfiguredMetrics } from './configured-metrics.ts';
import { openConfiguredModel } from './configured-model.ts';
import { openConfiguredSignIn } from './configured-sign-in.ts';
import { openConfiguredTraces } from './configured-traces.ts';
import { isFinalRefusal } from './database/final-refusal.ts';
import { startRetention } from './database/retention.ts';
import { keptSessionSecret } from './embedded/data-directory.ts';
import { readCertificate, watchCertificate } from './http/process/certificate.ts';
import { drain } from './http/process/drain.ts';
import { createHttpServer, type HttpServer, listen } from './http/process/http-server.ts';
import type { Identity } from './http/process/logger.ts';
import { createRequestsUnderWay } from './http/process/requests-under-way.ts';
import type { RequestIds } from './http/requests/request-id.ts';
import type { Observe } from './http/requests/request-log.ts';
import { createLimiters } from './limits/limiters.ts';
import { createTokenBudget } from './limits/token-budget.ts';
import { createBuiltPages } from './pages/built-pages.ts';
import { buildClientIfStale, builtClient } from './pages/client-build.ts';
import { createDevPages } from './pages/dev-pages.ts';
import { connectRedis, firstConnection } from './redis/client.ts';

export type StartOptions = {
  config: Config;
  logger: Logger;
  /** The project's root. */
  root: string;
  identity: Identity;
  /** Serve the client from its sources, with hot reload. */
  development?: boolean;
};

export type Running = {
  /** `{base_url}`: what people open. */
  publicUrl: string;
  /** Where the metrics are served, if they are. */
  metricsUrl: string | undefined;
  /** Answers the request in which nobody caught `error`, if it was in one, and gives its ids. */
  answerUncaught(error: unknown): RequestIds | undefined;
  /** Reads the certificate anew, without an end to any connection, and logs what came of it. */
  reload(): Promise<void>;
  /**
   * Says that it is not ready; after the delay, which `atOnce` skips, takes no more requests, lets replies finish within
   * the grace, ends and stores the rest, and closes everything.
   */
  stop(options?: { atOnce?: boolean }): Promise<void>;
};

/** Some forty browsers behind one address keep theirs; of more, the longest unused are closed. */
const mostIdlePerAddress = 256;

const daySeconds = 24 * 3600;

/**
 * How long who connected before no connection was taken any more may take to ask. A balancer that finds a connection refused
 * sends the request elsewhere; one that was taken it does not.
 */
const lastArrivalsMilliseconds = 2_000;

/** How long what is left to be stored may take once the last connection is closed. */
const storingMilliseconds = 10_000;

/** How long the other parts may take to close: a database that is frozen never does. */
const closingMilliseconds = 5_000;

/**
 * Opens every part, then listens; where one cannot be opened, the others are closed again.
 * @throws Error whose message names the part and what to look at
 */
export async function start(options: StartOptions): Promise<Running> {
  const { config, logger, root, identity, development = false } = options;
  await using opened = new AsyncDisposableStack();
  const named = namedBy(config);
  const tls = config.tls && (await named('TLS', 'TLS_CERT_FILE, TLS_KEY_FILE', readCertificate(config.tls)));

  const traces = await openConfiguredTraces(config, identity, logger);
  const redis = config.redis && connectRedis(config.redis, logger);
  opened.defer(() => redis?.disconnect());

  // While the database opens, the rest of the modules is loaded.
  const [database, model, providers, { createApp }] = await allSettled([
    named('the database', 'DATABASE_URL, DATA_DIR', openConfiguredDatabase(config, opened, logger, traces?.aroundCall)),
    named('the model', 'ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL', openConfiguredModel(config, opened)),
    named('sign-in', 'GOOGLE_…, GITHUB_…, MICROSOFT_…', openConfiguredSignIn(config, opened)),
    import('./app.ts'),
    config.production || development ? undefined : named('the client', 'client/', buildClientIfStale(root)),
    redis && firstConnection(redis),
  ]);
  const { retainDays } = config;
  const retention = retainDays && startRetention({ prune: database.prune, retainDays, logger });
  opened.defer(async () => void (retention && (await retention.stop())));

  const stopping = new AbortController();
  const draining = new AbortController();
  const cut = new AbortController();
  const { server, serve, useCertificate } = createHttpServer({
    logger,
    tls,
    // A proxy's connections all come from its own address.
    mostIdlePerAddress: config.edge ? mostIdlePerAddress : undefined,
  });
  const certificate =
    config.tls && tls && watchCertificate({ files: config.tls, current: tls, use: useCertificate, logger });
  opened.defer(() => certificate?.stop());
  const pages = development
    ? await openDevPages(root, server, draining.signal)
    : createBuiltPages(join(root, builtClient));

  const clock = () => performance.now();
  const limiters = createLimiters(config.limits, { redis, clock, logger });
  const demoTokens = config.tokensPerDay.demo;
  const demoBudget =
    demoTokens === undefined
      ? undefined
      : createTokenBudget({ name: 'demo', tokens: demoTokens, windowSeconds: daySeconds, redis, clock, logger });
  const lateWrites = createLateWrites({ logger, isFinal: isFinalRefusal });
  const streams = createStreamCeiling({
    total: config.maxStreams,
    perUser: config.maxStreamsPerUser,
    demo: config.maxStreamsDemo,
  });
  const requests = createRequestsUnderWay();
  // What has no text to append an error line to can still be told by its status.
  cut.signal.addEventListener('abort', () => requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED')));

  const measured = { database, redis, providers, limiters, demoBudget, lateWrites, streams, stopping: stopping.signal };
  const metrics = await named(
    'the metrics',
    'METRICS_HOST, METRICS_PORT',
    openConfiguredMetrics({ ...measured, config, identity, root, logger }, opened),
  );

  const observe: Observe = (line, response) => {
    metrics?.observe(line);
    traces?.observe(line, response);
  };

  const port = await named('the address', 'HOST, PORT', listen(server, config));
  const publicUrl = config.publicUrl ?? `${config.tls ? 'https' : 'http'}://localhost:${port}`;
  serve(
    createApp({
      config,
      publicUrl,
      sessionSecrets: config.sessionSecrets ?? [keptSessionSecret(config.dataDirectory)],
      providers,
      database,
      model: traces?.model(model) ?? model,
      limiters,
      demoBudget,
      lateWrites,
      streams,
      requests,
      ...((metrics || traces) && { observe }),
      ...(traces && { trace: traces.request }),
      pages,
      development,
      stopping: stopping.signal,
      draining: draining.signal,
      cut: cut.signal,
      logger,
    }),
  );

  const parts = opened.move();
  return {
    publicUrl,
    metricsUrl: metrics?.url,
    answerUncaught: requests.failCurrent,
    async reload() {
      if (certificate === undefined) logger.info('there is no TLS certificate to read anew');
      else await certificate.reload();
    },
    async stop({ atOnce = false } = {}) {
      stopping.abort();
      if (!atOnce) await delay(config.shutdownDelayMilliseconds);
      const drained = drain(server, { graceMilliseconds: config.shutdownGraceMilliseconds, cut });
      const arrived = delay(atOnce ? 0 : lastArrivalsMilliseconds, undefined, { ref: false });
      await Promise.race([drained, arrived, once(cut.signal, 'abort')]);
      draining.abort();
      await drained;
      const deadline = AbortSignal.timeout(storingMilliseconds);
      await Promise.race([requests.over(), once(deadline, 'abort')]);
      await lateWrites.drain(deadline);
      const closed = Promise.all([parts.disposeAsync(), traces?.close()]);
      await Promise.race([closed, delay(closingMilliseconds, undefined, { ref: false })]);
    },
  };
}

/** Closed before the server is: it would wait for the browsers' hot reload connections. */
async function openDevPages(root: string, server: HttpServer, draining: AbortSignal) {
  const { handler, close } = await createDevPages(root, server);
  draining.addEventListener('abort', () => void close());
  return handler;
}

/** Like `Promise.all`, but a failure waits for the others, so that what they have opened can be closed. */
async function allSettled<T extends readonly unknown[]>(openings: readonly [...T]) {
  await Promise.allSettled(openings);
  return Promise.all(openings);
}

/** Says which part cannot be opened, and what to look at. */
function namedBy(config: Config) {
  return async <T>(part: string, variables: string, opening: Promise<T>): Promise<T> => {
    try {
      return await opening;
    } catch (cause) {
      throw new Error(`Cannot open ${part} (${variables}): ${printableReason(cause, config)}`, { cause });
    }
  };
}
