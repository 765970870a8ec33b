import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { providerNames } from '../shared/session.ts';
import { AppError } from './app-error.ts';
import type { Config } from './config/config.ts';
import { printableReason } from './config/secrets.ts';
import { startRetention } from './database/serving/retention.ts';
import { loadOrCreateSessionSecret } from './embedded/data-directory.ts';
import { createHttpServer, listen } from './http/http-server.ts';
import type { ProcessLabels } from './http/logger.ts';
import type { RequestObserver } from './http/request-context.ts';
import { createBuiltPages } from './pages/built-pages.ts';
import { buildClientIfStale, clientBuildDirectory } from './pages/client-build.ts';
import { createDevPages } from './pages/dev-pages.ts';
import { connectRedis, waitForConnection } from './redis/redis-client.ts';
import { createAdmission } from './startup/admission.ts';
import { openConfiguredDatabase } from './startup/configured-database.ts';
import {
  openConfiguredMetrics,
  openConfiguredModel,
  openConfiguredSignIn,
  openConfiguredTraces,
} from './startup/configured-parts.ts';
import { createShutdown, type StopOptions } from './startup/shutdown.ts';

type StartOptions = {
  config: Config;
  logger: Logger;
  root: string;
  processLabels: ProcessLabels;
  development: boolean;
  droppedLogLines: () => number;
};

export type RunningService = {
  /** The address of the service, without a trailing slash. */
  publicUrl: string;
  metricsUrl: string | undefined;
  stop(options?: StopOptions): Promise<void>;
};

/** The number of connections for page loads and idle clients, in addition to those of turns in flight. */
const maxOtherConnections = 1_000;

const signInVariables = providerNames.map((name) => `${name.toUpperCase()}_…`).join(', ');

/**
 * Opens every dependency, then listens. If one cannot be opened, closes the others.
 * @throws Error whose message names the dependency and its variables
 */
export async function start(options: StartOptions): Promise<RunningService> {
  const { config, logger, root, processLabels, development, droppedLogLines } = options;
  await using opened = new AsyncDisposableStack();
  const named = createNaming(config);

  const traces = await openConfiguredTraces(config, processLabels, logger);
  const redis = config.redis && connectRedis(config.redis, logger);
  opened.defer(() => redis?.disconnect());

  // Loads the other modules while the database opens.
  const [database, model, providers, { createApp }] = await openAll([
    named('the database', 'DATABASE_URL, DATA_DIR', openConfiguredDatabase(config, opened, logger, traces?.traceCall)),
    named('the model', 'ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL', openConfiguredModel(config, opened)),
    named('sign-in', signInVariables, openConfiguredSignIn(config, opened)),
    import('./app.ts'),
    config.production || development ? undefined : named('the client', 'client/', buildClientIfStale(root)),
    redis && waitForConnection(redis),
  ]);
  const { retainDays } = config;
  const retention =
    retainDays === undefined ? undefined : startRetention({ prune: database.prune, retainDays, logger });
  opened.defer(async () => retention?.stop());

  const shutdown = createShutdown();
  const { stopping, draining, graceEnded } = shutdown;
  const { server, serve, connections, requests } = createHttpServer({
    logger,
    maxConnections: config.maxStreams + maxOtherConnections,
  });
  const pages = development
    ? await openDevPages(root, server, draining, config.publicUrl)
    : createBuiltPages(join(root, clientBuildDirectory), config.publicUrl);

  const { fallback, limiters, demoBudget, lateWrites, streams, bodies } = createAdmission({ config, redis, logger });
  // A reply that has started ends with an error line instead.
  graceEnded.addEventListener('abort', () => requests.failUnanswered(new AppError('UPSTREAM_OVERLOADED')));

  const admission = { fallback, limiters, demoBudget, lateWrites, streams, bodies };
  const metricsSources = { database, model, providers, retention, stopping, droppedLogLines };
  const metrics = await named(
    'the metrics',
    'METRICS_HOST, METRICS_PORT',
    openConfiguredMetrics({ ...admission, ...metricsSources, config, processLabels, root, logger }, opened),
  );

  const observe: RequestObserver = (line, context) => {
    metrics?.observe(line);
    traces?.observe(line, context);
  };

  const port = await named('the port', 'HOST, PORT', listen(server, config));
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
  serve(
    createApp({
      config,
      publicUrl,
      sessionSecrets: config.sessionSecrets ?? [loadOrCreateSessionSecret(config.dataDirectory)],
      providers,
      database,
      model: traces?.traceModel(model) ?? model,
      limiters,
      demoBudget,
      lateWrites,
      streams,
      bodies,
      ...((metrics || traces) && { observe }),
      ...(traces && { trace: traces.traceRequest }),
      pages,
      development,
      stopping,
      draining,
      graceEnded,
      logger,
    }),
  );

  const resources = opened.move();
  return {
    publicUrl,
    metricsUrl: metrics?.url,
    async stop(options) {
      const close = () => Promise.all([resources.disposeAsync(), traces?.close()]);
      await shutdown.stop({ config, server, connections, requests, lateWrites, close }, options);
    },
  };
}

/** The pages are closed before the server, which would otherwise wait for the connections of hot reload. */
async function openDevPages(root: string, server: Server, draining: AbortSignal, publicUrl: string | undefined) {
  const { handler, close } = await createDevPages(root, server, publicUrl);
  draining.addEventListener('abort', () => void close());
  return handler;
}

/** Like `Promise.all`, but waits for the other promises after a failure, so that the dependencies that they open can be closed. */
async function openAll<T extends readonly unknown[]>(openings: readonly [...T]) {
  await Promise.allSettled(openings);
  return Promise.all(openings);
}

/** Adds the name of a dependency, and of its variables, to the error with which its opening fails. */
function createNaming(config: Config) {
  return async <T>(part: string, variables: string, opening: Promise<T>): Promise<T> => {
    try {
      return await opening;
    } catch (cause) {
      throw new Error(`Cannot open ${part} (${variables}): ${printableReason(cause, config)}`, { cause });
    }
  };
}
