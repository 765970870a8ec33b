import { buildConnector } from 'undici';
import type { createConnections as createConnectionsAhead } from '../../server/model/connections.ts';
import { standIn } from './stand-in.ts';

/*
 * Loaded before the product: connections to the provider are opened when a request needs one, by undici alone.
 */

export function createConnections({ timeoutMilliseconds }: Parameters<typeof createConnectionsAhead>[0]) {
  return {
    inUse: 0,
    openAhead() {},
    connector: buildConnector({ timeout: timeoutMilliseconds, allowH2: false }),
    async close() {},
  };
}

standIn('server/model/connections.ts', import.meta.url);
