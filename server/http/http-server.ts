import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { headers } from '../../shared/interface.ts';
import type { AppError } from '../app-error.ts';
import { sendError } from './errors.ts';
import { assignContext, type ContextResponse, createIds, type RequestContext } from './request-context.ts';

/** The backlog is large, because after an outage all clients reconnect within a second. */
const backlog = 4096;

export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  // A server that listens on a host has no other kind of address.
  return (server.address() as AddressInfo).port;
}

export type RequestsInFlight = ReturnType<typeof createHttpServer>['requests'];
export type ClientConnections = ReturnType<typeof createHttpServer>['connections'];

/** In milliseconds. */
const productionTimeouts = {
  /** The time for the headers of a request to arrive, and for the entire request. The response is then 408. */
  headers: 15_000,
  request: 60_000,
  /** Node checks at this interval, so the 408 can be late by this much. */
  checkInterval: 1_000,
  /** Proxies keep idle connections for a minute. If this side closed first, a request could already be on its way. */
  keepAlive: 65_000,
  /**
   * Starts at the last write to a client that does not read. Node restarts this timer once if the client has read part of that
   * write, so it is disconnected after one or two such periods.
   */
  stall: 60_000,
  /** The time for the client to close its side after an error response to invalid HTTP. */
  linger: 2_000,
};

export type Timeouts = Partial<typeof productionTimeouts>;

type Options = {
  /** Further connections are closed immediately. */
  maxConnections: number;
  timeouts?: Timeouts;
  logger: Logger;
};

/** The maximum size of a request's headers in bytes: Node's default. */
const maxHeaderSize = 16 * 1024;

/** The maximum number of pipelined requests per connection. Browsers and proxies do not pipeline. */
const maxPipelinedRequests = 8;

type Connection = {
  responses: Set<ContextResponse>;
  idleTimer: NodeJS.Timeout;
  closeIdle: () => void;
};

/**
 * Creates a Node HTTP server whose built-in error responses have a request id. `serve` attaches the application. It can follow
 * `listen`, for an application that must know its address.
 */
export function createHttpServer({ maxConnections, logger, ...options }: Options) {
  const timeouts = { ...productionTimeouts, ...options.timeouts };
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.checkInterval,
    keepAliveTimeout: timeouts.keepAlive,
    maxHeaderSize,
    // The application rejects a missing Host, so that the response has the request id.
    requireHostHeader: false,
  });
  const connections = new Map<Duplex, Connection>();
  const inFlight = new Set<ContextResponse>();
  const finishedWaiters: (() => void)[] = [];

  server.on('connection', watchConnection);

  /**
   * Closes a connection that is idle for too long, and destroys the unfinished responses of one that has closed. Node destroys
   * them too, except pipelined responses that precede a CONNECT. Their turns would never end, and would keep their slots and
   * provider requests.
   */
  function watchConnection(socket: Socket): void {
    const responses = new Set<ContextResponse>();
    const closeIdle = () => {
      if (responses.size === 0) socket.destroy();
    };
    // Line breaks between requests restart Node's own timers, which also do not cover a request that Node has rejected.
    const idleTimer = setTimeout(closeIdle, timeouts.keepAlive + timeouts.headers).unref();
    connections.set(socket, { responses, idleTimer, closeIdle });
    socket.once('close', () => {
      clearTimeout(idleTimer);
      connections.delete(socket);
      for (const response of responses) response.destroy();
    });
  }

  function trackResponse(response: ContextResponse, { responses, idleTimer }: Connection): void {
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      idleTimer.refresh();
    });
    inFlight.add(response);
    // A request finishes after its response if the answer is still being stored.
    response.locals.context.onFinished(() => {
      inFlight.delete(response);
      if (inFlight.size === 0) for (const resolve of finishedWaiters.splice(0)) resolve();
    });
  }

  server.maxConnections = maxConnections;
  server.timeout = timeouts.stall;
  server.on('timeout', (socket) => {
    const { responses = new Set<ContextResponse>() } = connections.get(socket) ?? {};
    // A response that waits for the model, with no bytes to send, may take longer.
    if (responses.size > 0 && socket.writableLength === 0) return;
    for (const response of responses) response.emit('stalled');
    socket.destroy();
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const responses = [...(connections.get(socket)?.responses ?? [])];
    // Bytes written now would end up in the middle of the response that is being sent.
    if (responses.some((each) => each.headersSent && !each.writableFinished)) return void socket.destroy();
    // If only the body is invalid or slow, the request already has an id.
    const response = responses.at(-1);
    const { requestId, ids } = response && !response.headersSent ? response.locals.context : createIds();
    answerParserError(error, socket, { requestId, ids, logger });
    // Destroying the socket immediately could lose the response: the kernel discards it if the client is still sending.
    setTimeout(() => socket.destroy(), timeouts.linger).unref();
  });

  return {
    server,

    serve(listener: RequestListener): void {
      const handle: RequestListener = (request, response) => {
        const connection = connections.get(request.socket);
        // Node parses pipelined requests from one chunk and cannot pause between them.
        if (connection === undefined || connection.responses.size >= maxPipelinedRequests) {
          return void request.socket.destroy();
        }
        // Node drops bytes that arrive together with an upgrade request, so a pipelined request in them would get no
        // response.
        if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        trackResponse(assignContext(request, response, logger), connection);
        listener(request, response);
      };
      server.on('request', handle);
      // Passes an Expect other than 100-continue to the application, which answers 417.
      server.on('checkExpectation', handle);
      server.on('checkContinue', (request, response) => {
        // A pipelined response has no socket yet, and Node would write the interim response into its body.
        if (response.socket !== null) response.writeContinue();
        handle(request, response);
      });
    },

    connections: {
      closeIdle(): void {
        for (const { closeIdle } of connections.values()) closeIdle();
      },

      closeAll(): void {
        for (const socket of connections.keys()) socket.destroy();
      },
    },

    requests: {
      failUnanswered(error: AppError): void {
        for (const response of [...inFlight]) {
          if (response.headersSent) continue;
          // The request body may still be arriving, and nothing reads it any more.
          response.setHeader('Connection', 'close');
          sendError(response, error);
        }
      },

      async allFinished(): Promise<void> {
        if (inFlight.size > 0) await new Promise<void>((resolve) => finishedWaiters.push(resolve));
      },
    },
  };
}

const parserErrors: Record<string, { status: string; sentence: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', sentence: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    sentence: 'The request headers are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', sentence: 'The request body is too large.' },
};
const invalidHttp = { status: '400 Bad Request', sentence: 'The request is not valid HTTP.' };

/** Writes a raw HTTP response to a request that Node rejects, because Express cannot respond to it. */
function answerParserError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { requestId, ids, logger }: Pick<RequestContext, 'requestId' | 'ids'> & { logger: Logger },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, sentence } = parserErrors[error.code ?? ''] ?? invalidHttp;
  const body = `${sentence}\n`;
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `${headers.requestId}: ${requestId}`,
      'Content-Type: text/plain; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    // Node reads headers as Latin-1, so this echoes the bytes of the client's request id unchanged.
    'latin1',
  );
  logger.info({ ...ids, status: Number.parseInt(status, 10), reason: error.code }, 'HTTP request rejected');
}
