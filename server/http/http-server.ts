import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { headers } from '../../shared/interface.ts';
import type { AppError } from '../app-error.ts';
import type { Certificate } from './certificate.ts';
import { sendError } from './errors.ts';
import { assignContext, type ContextResponse, type RequestContext, requestIds } from './request-context.ts';

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
/** The requests that have begun and are not over. */
export type RequestsUnderWay = ReturnType<typeof createHttpServer>['requests'];

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
  /** How many connections there may be at once; further ones are closed as they come. */
  maxConnections?: number;
  logger: Logger;
};

/** All headers of a request together, as Node's default has it. */
const maxHeaderSize = 16 * 1024;

/** How many answers of one connection may wait, one behind the other. Browsers and proxies ask for one at a time. */
const maxPipelined = 8;

/**
 * Node's HTTP server with every answer that Node gives by itself replaced by one with a request id.
 * The application is attached with `serve` once the server listens, for only then is its own address known.
 */
export function createHttpServer(options: Options) {
  // A proxy in front keeps idle connections for a minute, as a rule. Closed from here first, one might be in use just then.
  const { tls, headersTimeout = 15_000, requestTimeout = 60_000, keepAliveTimeout = 65_000 } = options;
  const { stallTimeout = 60_000, maxConnections = Infinity, logger } = options;
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
  /** The answers of each open connection that have not ended, the latest last. */
  const connections = new Map<Duplex, Set<ContextResponse>>();
  const underWay = new Set<ContextResponse>();
  const waitingForAll: (() => void)[] = [];

  /**
   * Lets each answer emit `close` when its connection ends. Node forgets the answers that wait behind another one as soon as
   * a CONNECT comes after them: their turns would never be over, and would keep their places and the provider's replies.
   */
  function watch(socket: Socket): Set<ContextResponse> {
    const responses = new Set<ContextResponse>();
    connections.set(socket, responses);
    socket.once('close', () => {
      connections.delete(socket);
      for (const response of responses) response.destroy();
    });
    return responses;
  }

  function track(response: ContextResponse, responses: Set<ContextResponse>): void {
    responses.add(response);
    response.once('close', () => responses.delete(response));
    underWay.add(response);
    // Later than its end, where what came of it has still to be stored.
    response.locals.context.whenOver(() => {
      underWay.delete(response);
      if (underWay.size === 0) for (const resolve of waitingForAll.splice(0)) resolve();
    });
  }

  server.maxConnections = maxConnections;
  server.timeout = stallTimeout;
  // Where nothing waits for the reader, a request that is worked on may take longer.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || !connections.get(socket)?.size) socket.destroy();
  });

  server.on('clientError', (error, socket) => {
    const response = [...(connections.get(socket) ?? [])].at(-1);
    const midResponse = response?.headersSent && !response.writableFinished;
    // Bytes written now would land in the middle of the reply that is being sent.
    if (midResponse) return void socket.destroy();
    // Where only the body is broken or slow, the request has its id already.
    const { requestId, ids } = response && !response.headersSent ? response.locals.context : requestIds();
    answerParserError(error, socket, { requestId, ids, logger });
  });

  return {
    server,

    /** Shows another certificate to who connects from now on. Connections that are open stay as they are. */
    useCertificate(certificate: Certificate): void {
      if ('setSecureContext' in server) server.setSecureContext(certificate);
    },

    serve(listener: RequestListener): void {
      const handle: RequestListener = (request, response) => {
        const responses = connections.get(request.socket) ?? watch(request.socket);
        // Node has read these requests in one piece already: it cannot pause between them.
        if (responses.size >= maxPipelined) return void request.socket.destroy();
        track(assignContext(request, response, logger), responses);
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

    requests: {
      /** Answers every request that has had nothing yet. */
      failUnanswered(error: AppError): void {
        for (const response of [...underWay]) {
          if (response.headersSent) continue;
          // Its body may still be arriving, and nobody will read it.
          response.setHeader('Connection', 'close');
          sendError(response, error);
          // The work on it stops: its reader has been told.
          response.locals.context.failReply?.();
        }
      },

      /** Resolves when none is left. */
      async over(): Promise<void> {
        if (underWay.size > 0) await new Promise<void>((resolve) => waitingForAll.push(resolve));
      },
    },
  };
}

const answers: Record<string, { status: string; sentence: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', sentence: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    sentence: 'The request headers are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', sentence: 'The request body is too large.' },
};
const malformed = { status: '400 Bad Request', sentence: 'The request is not valid HTTP.' };

/** Answers, in raw HTTP, what never became a whole request: the framework cannot. */
function answerParserError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { requestId, ids, logger }: Pick<RequestContext, 'requestId' | 'ids'> & { logger: Logger },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, sentence } = answers[error.code ?? ''] ?? malformed;
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
    // As Node reads and writes headers, so that an id that was sent goes back as the same bytes.
    'latin1',
  );
  logger.info({ ...ids, status: Number.parseInt(status, 10), reason: error.code }, 'request not understood');
}
