import { once } from 'node:events';
import type { Logger } from 'pino';
import { createHttpServer, listen } from '../http/http-server.ts';
import type { Metrics } from './metrics.ts';

/** Serves `GET /metrics` by plain HTTP on an address of its own, so that the one that people reach has nothing of it. */
export async function openMetricsServer(
  metrics: Metrics,
  address: { host: string; port: number },
  logger: Logger,
): Promise<{ port: number; close(): Promise<void> }> {
  const { server, serve } = createHttpServer({ logger });
  serve((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.read().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      (error) => {
        logger.error({ err: error }, 'the metrics cannot be read');
        response.writeHead(500).end();
      },
    );
  });
  const port = await listen(server, address);
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
