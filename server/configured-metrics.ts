import type { Logger } from 'pino';
import type { Providers } from './auth/providers.ts';
import type { LateWrites } from './chat/late-writes.ts';
import type { StreamCeiling } from './chat/stream-ceiling.ts';
import type { Config } from './config/config.ts';
import type { Database } from './database/database.ts';
import type { Identity } from './http/process/logger.ts';
import type { RequestLine } from './http/requests/request-log.ts';
import type { Limiters } from './limits/limiters.ts';
import type { TokenBudget } from './limits/token-budget.ts';
import { clientBuild } from './pages/client-build.ts';
import type { RedisClient } from './redis/client.ts';
import { requireUsable } from './redis/state.ts';

/** What is measured. */
type Parts = {
  config: Pick<Config, 'metrics' | 'maxStreams'>;
  identity: Identity;
  /** The project's root. */
  root: string;
  providers: Providers;
  database: Database;
  redis: RedisClient | undefined;
  limiters: Limiters;
  demoBudget: TokenBudget | undefined;
  lateWrites: LateWrites;
  streams: StreamCeiling;
  droppedLogLines: () => number;
  stopping: AbortSignal;
  logger: Logger;
};

/**
 * Serves metrics and status where the configuration names a port for them; `opened` closes it again. Elsewhere nothing of
 * it is loaded.
 */
export async function openConfiguredMetrics(parts: Parts, opened: AsyncDisposableStack) {
  const { config, identity, database, redis, limiters, demoBudget, lateWrites, streams, stopping, logger } = parts;
  const { metrics: address, maxStreams } = config;
  if (address === undefined) return undefined;
  const [{ createMetrics }, { openMetricsServer }, { createProviderSightings }, { createStatus }] = await Promise.all([
    import('./metrics/metrics.ts'),
    import('./metrics/metrics-server.ts'),
    import('./metrics/provider-sightings.ts'),
    import('./metrics/status.ts'),
  ]);

  const provider = createProviderSightings();
  const release = { version: identity.version, build: await clientBuild(parts.root) };
  const status = createStatus({
    ...release,
    instance: identity.instance,
    stopping,
    checks: { database: database.ping, ...(redis && { redis: () => requireUsable(redis) }) },
    provider,
  });
  const metrics = createMetrics({
    ...release,
    providers: Object.keys(parts.providers),
    streams: () => streams.underWay,
    maxStreams,
    limitsShared: () => ({ live: limiters.live.shared, demo: limiters.demo.shared }),
    lateWrites: lateWrites.status,
    databasePool: () => database.pool,
    droppedLogLines: parts.droppedLogLines,
    parts: status.parts,
    demoTokensLeft: demoBudget?.left,
  });
  const server = await openMetricsServer({ metrics, status, address, logger });
  opened.defer(server.close);

  return {
    url: `http://${address.host}:${server.port}/metrics`,
    /** Takes note of a request that is over. */
    observe(line: RequestLine): void {
      metrics.observe(line);
      provider.observe(line);
    },
  };
}
