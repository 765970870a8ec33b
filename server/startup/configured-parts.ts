import type { Logger } from 'pino';
import { providerLabels, providerNames } from '../../shared/session.ts';
import type { Providers } from '../auth/providers.ts';
import type { LateWrites } from '../chat/late-writes.ts';
import type { StreamLimit } from '../chat/stream-limit.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { unavailableReason } from '../database/serving/outage.ts';
import { emulatorOptions, startEmulatedSignIn } from '../embedded/emulated-sign-in.ts';
import { createOfflineModelServer } from '../embedded/offline-model.ts';
import type { BodyReader } from '../http/json-body.ts';
import type { ProcessLabels } from '../http/logger.ts';
import { isKnownHost } from '../http/preconditions.ts';
import type { Limiters } from '../limits/limiter.ts';
import type { RedisFallback } from '../limits/redis-fallback.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import { type AnthropicModel, anthropicUrl, createAnthropicModel } from '../model/anthropic-model.ts';
import { computeBuildId } from '../pages/client-build.ts';
import { proxyFor } from '../proxies.ts';
import { pingRedis, redisFailure } from '../redis/redis-client.ts';
import type { Traces } from '../tracing/traces.ts';

type Dependencies = {
  config: Pick<Config, 'production' | 'publicUrl' | 'metrics' | 'maxStreams'>;
  processLabels: ProcessLabels;
  root: string;
  providers: Providers;
  database: Database;
  model: AnthropicModel;
  fallback: RedisFallback | undefined;
  limiters: Limiters;
  demoBudget: TokenBudget | undefined;
  lateWrites: LateWrites;
  streams: StreamLimit;
  bodies: BodyReader;
  droppedLogLines: () => number;
  retention: { lastSuccessSeconds: number } | undefined;
  stopping: AbortSignal;
  logger: Logger;
};

/** Loads the packages for metrics only if a port is configured for them. */
export async function openConfiguredMetrics(dependencies: Dependencies, opened: AsyncDisposableStack) {
  const { config, processLabels, database, model, fallback, limiters, demoBudget, lateWrites, streams } = dependencies;
  const { bodies, retention, stopping, logger } = dependencies;
  const { production, publicUrl, metrics: address, maxStreams } = config;
  if (address === undefined) return undefined;
  const [{ createMetrics }, { openMetricsServer }, { createStatus }] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('../metrics/metrics-server.ts'),
    import('../metrics/status.ts'),
  ]);

  const release = { version: processLabels.version, build: await computeBuildId(dependencies.root) };
  const status = createStatus({
    ...release,
    instance: processLabels.instance,
    stopping,
    checks: {
      database: { ping: database.ping, reasonOf: unavailableReason },
      ...(fallback && { redis: { ping: () => pingLimitStore(fallback), reasonOf: redisFailure } }),
    },
    readProvider: model.provider.read,
  });
  const metrics = createMetrics({
    ...release,
    providers: Object.keys(dependencies.providers),
    stopping: () => stopping.aborted,
    streams: () => streams.inFlight,
    maxStreams,
    bodyBytes: () => bodies.usedBytes,
    limitsShared: () => ({ live: limiters.live.isShared, demo: limiters.demo.isShared }),
    lateWrites: lateWrites.status,
    databasePool: () => database.pool,
    databaseConnectionsRefused: () => database.outage.connectionsRefused,
    droppedLogLines: dependencies.droppedLogLines,
    parts: status.parts,
    providerUp: () => model.provider.read().state !== 'down',
    oldestWaitSeconds: model.provider.oldestWaitSeconds,
    retentionSucceededSeconds: retention && (() => retention.lastSuccessSeconds),
    demoTokensLeft: demoBudget?.remaining,
  });
  const server = await openMetricsServer({
    metrics,
    status,
    address,
    logger,
    ...(!production && { isKnownHost: (host) => isKnownHost(host, publicUrl) }),
  });
  opened.defer(server.close);

  return { url: `http://${address.host}:${server.port}/metrics`, observe: metrics.observe };
}

/** Also rejects while the limits are counted locally: Redis can respond to a ping and still refuse their scripts. */
async function pingLimitStore({ redis, requireInactive }: RedisFallback) {
  requireInactive();
  return pingRedis(redis);
}

/** Creates a client of the configured model, or else of the offline stand-in, which it starts. `opened` closes both. */
export async function openConfiguredModel(
  {
    model: { apiKey, baseUrl, name },
    modelIdleTimeoutMilliseconds,
    proxies,
  }: Pick<Config, 'model' | 'modelIdleTimeoutMilliseconds' | 'proxies'>,
  opened: AsyncDisposableStack,
): Promise<AnthropicModel> {
  const offline = apiKey === undefined && baseUrl === undefined ? await createOfflineModelServer() : undefined;
  opened.defer(() => offline?.close());
  const url = offline?.url ?? baseUrl ?? anthropicUrl;
  const model = createAnthropicModel({
    apiKey,
    baseUrl: url,
    proxy: proxyFor(proxies, url),
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
  });
  opened.defer(model.close);
  return model;
}

/** Returns the configured providers and, outside production, emulators of the others until `opened` is disposed of. */
export async function openConfiguredSignIn(
  { production, providers }: Pick<Config, 'production' | 'providers'>,
  opened: AsyncDisposableStack,
): Promise<Providers> {
  const configured: Providers = {};
  for (const name of providerNames) {
    if (providers[name] === undefined) continue;
    const { baseUrl, ...client } = providers[name];
    configured[name] = baseUrl === undefined ? client : { ...client, ...emulatorOptions(name, baseUrl) };
  }
  const missing = providerNames.filter((name) => configured[name] === undefined);
  if (production || missing.length === 0) return configured;
  const emulated = await startEmulatedSignIn(missing);
  opened.defer(emulated.close);
  return { ...emulated.settings, ...configured };
}

/** Returns undefined without a configured collector, and then loads no packages for tracing. */
export async function openConfiguredTraces(
  { tracesEndpoint: endpoint, proxies }: Pick<Config, 'tracesEndpoint' | 'proxies'>,
  processLabels: ProcessLabels,
  logger: Logger,
): Promise<Traces | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTraces } = await import('../tracing/traces.ts');
  return openTraces({ endpoint, proxy: proxyFor(proxies, endpoint), processLabels, logger });
}

/** Describes the running parts in one line each, with the variable that replaces each embedded part. */
export function banner(config: Config, publicUrl: string): string {
  const { databaseUrl, dataDirectory, redis, model, providers } = config;
  const emulated = providerNames.filter((name) => providers[name] === undefined).map((name) => providerLabels[name]);
  const offline = model.apiKey === undefined && model.baseUrl === undefined;
  const lines = [
    ['Open', publicUrl],
    ['Database', databaseUrl ? 'PostgreSQL' : `embedded, in ${dataDirectory} (DATABASE_URL for PostgreSQL)`],
    ['Limits', redis ? 'counted in Redis' : 'counted in this process (REDIS_URL to share them)'],
    [
      'Sign-in',
      emulated.length === 0
        ? 'the configured providers'
        : `${emulated.join(', ')} emulated on this machine (GOOGLE_CLIENT_ID, … for the real ones)`,
    ],
    [
      'Model',
      offline
        ? 'an offline stand-in, not a language model (ANTHROPIC_API_KEY for the real one)'
        : `${model.name} at ${model.baseUrl ?? 'the Anthropic API'}`,
    ],
  ];
  return [
    '',
    '  Advisory Chat',
    ...lines.map(([part, description]) => `  ${`${part}:`.padEnd(10)} ${description}`),
    '',
  ].join('\n');
}
