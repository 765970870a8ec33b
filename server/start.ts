import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { createLateWrites } from './chat/late-writes.ts';
import type { Config } from './config/config.ts';
import { openConfiguredDatabase } from './configured-database.ts';
import { openConfiguredModel } from './configured-model.ts';
import { openConfiguredSignIn } from './configured-sign-in.ts';
import { isFinalRefusal } from './database/final-refusal.ts';
import { keptSessionSecret } from './embedded/data-directory.ts';
import { drain } from './http/drain.ts';
import { createHttpServer, type HttpServer, listen } from './http/http-server.ts';
import { createLimiter } from './limits/limiter.ts';
import { connectRedis, firstConnection } from './limits/redis.ts';
import { createBuiltPages } from './pages/built-pages.ts';
import { buildClientIfStale, builtClient } from './pages/client-build.ts';
import { createDevPages } from './pages/dev-pages.ts';

export type StartOptions = {
  config: Config;
  logger: Logger;
  /** The project's root. */
  root: string;
  /** Serve the client from its sources, with hot reload. */
  development?: boolean;
};

export type Running = {
  /** `{base_url}`: what people open. */
  publicUrl: string;
  /** Takes no more requests, lets replies finish within the grace, ends and stores the rest, and closes everything. */
  stop(): Promise<void>;
};

/** How long rows that could not be written yet may take once the last reply has ended. */
const lateWritesMilliseconds = 10_000;

/**
 * Opens every part, then listens; where one cannot be opened, the others are closed again.
 * @throws Error whose message names the part and what to look at
 */
export async function start({ config, logger, root, development = false }: StartOptions): Promise<Running> {
  await using opened = new AsyncDisposableStack();

  const redis = config.redisUrl === undefined ? undefined : connectRedis(config.redisUrl, logger);
  opened.defer(() => redis?.disconnect());

  const [database, model, providers] = await allSettled([
    named('the database', 'DATABASE_URL, DATA_DIR', openConfiguredDatabase(config, opened, logger)),
    named('the model', 'ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL', openConfiguredModel(config, opened)),
    named('sign-in', 'GOOGLE_…, GITHUB_…, MICROSOFT_…', openConfiguredSignIn(config, opened)),
    config.production || development ? undefined : named('the client', 'client/', buildClientIfStale(root)),
    redis && firstConnection(redis),
  ]);
  const draining = new AbortController();
  const cut = new AbortController();
  const { server, serve } = createHttpServer({ logger, tls: config.tls && readTls(config.tls) });
  const pages = development
    ? await openDevPages(root, server, draining.signal)
    : createBuiltPages(join(root, builtClient));

  const clock = () => performance.now();
  const limiterOf = (name: 'live' | 'demo') => createLimiter({ name, ...config.limits[name], redis, clock, logger });
  const lateWrites = createLateWrites({ logger, isFinal: isFinalRefusal });

  const port = await named('the address', 'HOST, PORT', listen(server, config));
  const publicUrl = config.publicUrl ?? `${config.tls ? 'https' : 'http'}://localhost:${port}`;
  serve(
    createApp({
      config,
      publicUrl,
      sessionSecrets: config.sessionSecrets ?? [keptSessionSecret(config.dataDirectory)],
      providers,
      database,
      redis,
      model,
      limiters: { live: limiterOf('live'), demo: limiterOf('demo') },
      lateWrites,
      pages,
      development,
      draining: draining.signal,
      cut: cut.signal,
      logger,
    }),
  );

  const parts = opened.move();
  return {
    publicUrl,
    async stop() {
      draining.abort();
      await drain(server, { graceMilliseconds: config.shutdownGraceMilliseconds, cut });
      await lateWrites.drain(AbortSignal.timeout(lateWritesMilliseconds));
      await parts.disposeAsync();
    },
  };
}

function readTls({ certFile, keyFile }: { certFile: string; keyFile: string }) {
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
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

async function named<T>(part: string, variables: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot open ${part} (${variables}): ${reason}`, { cause });
  }
}
