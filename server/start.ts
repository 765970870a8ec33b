import { join } from 'node:path';
import type { Logger } from 'pino';
import { providerNames } from '../shared/session.ts';
import { AppError } from './app-error.ts';
import { createLateWrites } from './chat/late-writes.ts';
import { createStreamCeiling } from './chat/stream-ceiling.ts';
import type { Config } from './config/config.ts';
import { openConfiguredDatabase } from './configured-database.ts';
import { openConfiguredMetrics } from './configured-metrics.ts';
import { openConfiguredModel } from './configured-model.ts';
import { openConfiguredSignIn } from './configured-sign-in.ts';
import { openConfiguredTraces } from './configured-traces.ts';
import { isFinalRefusal } from './database/final-refusal.ts';
import { startRetention } from './database/retention.ts';
import { keptSessionSecret } from './embedded/data-directory.ts';
import { readCertificate, watchCertificate } from './http/process/certificate.ts';
import { createHttpServer, type HttpServer, listen } from './http/process/http-server.ts';
import type { Identity } from './http/process/logger.ts';
import { createRequestsUnderWay } from './http/process/requests-under-way.ts';
import type { RequestIds } from './http/requests/request-id.ts';
import type { Observe } from './http/requests/request-log.ts';
import { createLimiters } from './limits/limiters.ts';
import { createTokenBudget } from './limits/token-budget.ts';
import { allSettled, namedBy } from './opening.ts';
import { createBuiltPages } from './pages/built-pages.ts';
import { buildClientIfStale, builtClient } from './pages/client-build.ts';
import { createDevPages } from './pages/dev-pages.ts';
import { connectRedis, firstConnection } from './redis/client.ts';
import { createShutdown, type StopOptions } from './shutdown.ts';

export type StartOptions = {
  config: Config;
  logger: Logger;
  /** The project's root. */
  root: string;
  identity: Identity;
  /** Serve the client from its sources, with hot reload. */
  development?: boolean;
  /** How many lines of the log could not be written. */
  droppedLogLines?: () => number;
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
  stop(options?: StopOptions): Promise<void>;
};

/** Enough for some eighty browsers behind one address. */
const maxConnectionsPerAddress = 512;

const daySeconds = 24 * 3600;
const signInVariables = providerNames.map((name) => `${name.toUpperCase()}_…`).join(', ');

/**
 * Opens every part, then listens; where one cannot be opened, the others are closed again.
 * @throws Error whose message names the part and what to look at
 */
export async function start(options: StartOptions): Promise<Running> {
  const { config, logger, root, identity, development = false, droppedLogLines = () => 0 } = options;
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
    named('sign-in', signInVariables, openConfiguredSignIn(config, opened)),
    import('./app.ts'),
    config.production || development ? undefined : named('the client', 'client/', buildClientIfStale(root)),
    redis && firstConnection(redis),
  ]);
  const { retainDays } = config;
  const retention = retainDays && startRetention({ prune: database.prune, retainDays, logger });
  opened.defer(async () => void (retention && (await retention.stop())));

  const shutdown = createShutdown();
  const { stopping, draining, cut } = shutdown;
  const { server, serve, useCertificate } = createHttpServer({
    logger,
    tls,
    // A proxy's connections all come from its own address.
    maxConnectionsPerAddress: config.edge ? maxConnectionsPerAddress : undefined,
  });
  const certificate =
    config.tls && tls && watchCertificate({ files: config.tls, current: tls, use: useCertificate, logger });
  opened.defer(() => certificate?.stop());
  const pages = development ? await openDevPages(root, server, draining) : createBuiltPages(join(root, builtClient));

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
  cut.addEventListener('abort', () => requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED')));

  const measured = { database, redis, providers, limiters, demoBudget, lateWrites, streams, stopping };
  const metrics = await named(
    'the metrics',
    'METRICS_HOST, METRICS_PORT',
    openConfiguredMetrics({ ...measured, config, identity, root, droppedLogLines, logger }, opened),
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
      stopping,
      draining,
      cut,
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
    async stop(options) {
      const close = () => Promise.all([parts.disposeAsync(), traces?.close()]);
      await shutdown.stop({ config, server, requests, lateWrites, close }, options);
    },
  };
}

/** Closed before the server is: it would wait for the browsers' hot reload connections. */
async function openDevPages(root: string, server: HttpServer, draining: AbortSignal) {
  const { handler, close } = await createDevPages(root, server);
  draining.addEventListener('abort', () => void close());
  return handler;
}
