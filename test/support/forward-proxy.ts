import { createServer, type IncomingMessage, request as send } from 'node:http';
import { connect } from 'node:net';
import { listen } from './loopback.ts';

/** Starts an HTTP proxy that forwards every request and tunnel to `target`, whatever host they name. */
export async function startForwardProxy(target: string) {
  const { hostname, port } = new URL(target);
  const requests: { method: string | undefined; target: string | undefined; authorization: string | undefined }[] = [];
  const record = ({ method, url, headers }: IncomingMessage) =>
    void requests.push({ method, target: url, authorization: headers['proxy-authorization'] });

  const server = createServer((request, response) => {
    record(request);
    const { pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const forwarded = send({ hostname, port, method, headers, path: pathname + search }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.on('connect', (request, near) => {
    record(request);
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
    near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  });
  const { port: own, close } = await listen(server);
  // Not 127.0.0.1: to a proxy with an IP address, undici connects with the name of the target's host, which setup.ts refuses.
  return { url: `http://chat:hunter2@localhost:${own}`, requests, close };
}

/** The credentials of the proxy's address. */
export const proxyAuthorization = `Basic ${Buffer.from('chat:hunter2').toString('base64')}`;
