import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { createHttpServer, listen } from '../http/http-server.ts';
import type { Metrics } from './metrics.ts';
import type { Status } from './status.ts';

type Options = {
  metrics: Metrics;
  status: Status;
  address: { host: string; port: number };
  /** Whether requests for this `Host` are served. */
  isKnownHost?: (host: string | undefined) => boolean;
  logger: Logger;
};

/** More connections than any monitoring needs, but few enough that a flood of them does not exhaust file descriptors. */
const maxConnections = 100;

/** Serves `GET /metrics` and `GET /status` by plain HTTP on a separate address that is not public. */
export async function openMetricsServer({ metrics, status, address, isKnownHost = () => true, logger }: Options) {
  const { server, serve, connections } = createHttpServer({ maxConnections, logger });

  const answers: Record<string, (response: ServerResponse) => Promise<unknown>> = {
    async '/metrics'(response) {
      const text = await metrics.read();
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
    },
    async '/status'(response) {
      const { up, body } = await status.read();
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
      response.writeHead(up ? 200 : 503, headers).end(`${JSON.stringify(body)}\n`);
    },
  };

  const listener: RequestListener = ({ method, url = '', headers }, response) => {
    if (!isKnownHost(headers.host)) return void response.writeHead(421).end();
    const answer = method === 'GET' && Object.hasOwn(answers, url) ? answers[url] : undefined;
    if (answer === undefined) return void response.writeHead(404).end();
    answer(response).catch((error) => {
      logger.error({ err: error }, 'failed to read the metrics or the status');
      response.writeHead(500).end();
    });
  };
  serve(listener);

  const port = await listen(server, address);
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      connections.closeAll();
      await closed;
    },
  };
}
