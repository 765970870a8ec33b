import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Identity } from './http/process/logger.ts';
import type { Traces } from './tracing/traces.ts';

/** Traces to the collector that the configuration names; without one, nothing of it is loaded. */
export async function openConfiguredTraces(
  { tracesEndpoint: endpoint, edge }: Pick<Config, 'tracesEndpoint' | 'edge'>,
  identity: Identity,
  logger: Logger,
): Promise<Traces | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTraces } = await import('./tracing/traces.ts');
  return openTraces({ endpoint, believed: !edge, identity, logger });
}
