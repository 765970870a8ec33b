import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { countedAddress } from '../requests/client-address.ts';
import { assignRequestId, createRequestIds, requestIdsOf } from '../requests/request-id.ts';
import type { Certificate } from './certificate.ts';
import { answerParserError } from './parser-errors.ts';

/** How many connections may wait to be taken: after an outage everybody comes back in the same second. */
const backlog = 4096;

/** Listens on `host` and `port` and resolves with the port, which is a free one where `port` is 0. */
export async function listen(server: HttpServer, { host, port }: { host: string; port: number }): Promise<number> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

export type HttpServer = Server | TlsServer;

type Options = {
  /** The process ends TLS itself. */
  tls?: Certificate | undefined;
  /** How long a request's headers, and the whole of it, may take to arrive; slower ones get 408. In milliseconds. */
  headersTimeout?: number;
  requestTimeout?: number;
  /** How long a connection may stay idle between two requests. In milliseconds. */
  keepAliveTimeout?: number;
  /** How long a reader may take nothing of what waits for it. In milliseconds. */
  stallTimeout?: number;
  /** How many connections one address may have; undefined means any number. */
  maxConnectionsPerAddress?: number | undefined;
  logger: Logger;
};

/** All headers of a request together, as Node's default has it. */
const maxHeaderSize = 16 * 1024;

/** How many answers of one connection may wait, one behind the other. Browsers and proxies ask for one at a time. */
const maxPipelined = 8;

/** The answers of each connection that are not over, the latest last. */
const responsesOf = new WeakMap<Duplex, Set<ServerResponse>>();

/**
 * Node's HTTP server with every answer that Node gives by itself replaced by one with a request id.
 * The application is attached with `serve` once the server listens, for only then is its own address known.
 */
export function createHttpServer(options: Options) {
  // A proxy in front keeps idle connections for a minute, as a rule. Closed from here first, one might be in use just then.
  const { tls, headersTimeout = 15_000, requestTimeout = 60_000, keepAliveTimeout = 65_000 } = options;
  const { stallTimeout = 60_000, maxConnectionsPerAddress, logger } = options;
  const settings = {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    maxHeaderSize,
    // Node looks for slow requests as often as this, so 408 comes up to a second late.
    connectionsCheckingInterval: Math.min(headersTimeout, 1_000),
    // A missing Host is refused by the application, which knows the request id.
    requireHostHeader: false,
  };
  const server: HttpServer = tls ? createTlsServer({ ...settings, ...tls }) : createServer(settings);
  if (maxConnectionsPerAddress !== undefined) limitConnections(server, maxConnectionsPerAddress);

  server.timeout = stallTimeout;
  // Where nothing waits for the reader, a request that is worked on may take longer.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || !responsesOf.get(socket)?.size) socket.destroy();
  });

  server.on('clientError', (error, socket) => {
    const response = [...(responsesOf.get(socket) ?? [])].at(-1);
    const midResponse = response?.headersSent && !response.writableFinished;
    // Bytes written now would land in the middle of the reply that is being sent.
    if (midResponse) return void socket.destroy();
    // Where only the body is broken or slow, the request has its id already.
    const ids = response && !response.headersSent ? requestIdsOf(response) : createRequestIds();
    answerParserError(error, socket, { ids, logger });
  });

  return {
    server,

    /** Shows another certificate to who connects from now on. Connections that are open stay as they are. */
    useCertificate(certificate: Certificate): void {
      if ('setSecureContext' in server) server.setSecureContext(certificate);
    },

    serve(listener: RequestListener): void {
      const handle: RequestListener = (request, response) => {
        const responses = responsesOf.get(request.socket) ?? watch(request.socket);
        // Node has read these requests in one piece already: it cannot pause between them.
        if (responses.size >= maxPipelined) return void request.socket.destroy();
        responses.add(response);
        response.once('close', () => responses.delete(response));
        assignRequestId(request, response);
        listener(request, response);
      };
      server.on('request', handle);
      // An Expect that is not 100-continue: the application answers 417.
      server.on('checkExpectation', handle);
      server.on('checkContinue', (request, response) => {
        // An answer that waits behind another has no socket yet. Node would put the line into its body.
        if (response.socket !== null) response.writeContinue();
        handle(request, response);
      });
    },
  };
}

/**
 * Lets each answer emit `close` when its connection ends. Node forgets the answers that wait behind another one as soon as
 * a CONNECT comes after them: their turns would never be over, and would keep their places and the provider's replies.
 */
function watch(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  responsesOf.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) response.destroy();
  });
  return responses;
}

/** Refuses the connections of an address that has `max` of them. */
function limitConnections(server: HttpServer, max: number): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    // It has no address where it is closed already.
    const address = countedAddress(socket.remoteAddress ?? '');
    const count = counts.get(address) ?? 0;
    if (count >= max) return void socket.destroy();
    counts.set(address, count + 1);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}
