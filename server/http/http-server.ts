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

/** How many connections may wait to be accepted: after an outage all clients reconnect in the same second. */
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
export type Connections = ReturnType<typeof createHttpServer>['connections'];

type Options = {
  /** The process ends TLS itself. */
  tls?: Certificate | undefined;
  /**
   * How long a request's headers, and the whole of it, may take to arrive; slower ones get 408. A TLS handshake may take as
   * long as headers. In milliseconds.
   */
  headersTimeout?: number;
  requestTimeout?: number;
  /** How long a connection may stay idle between two requests. In milliseconds. */
  keepAliveTimeout?: number;
  /**
   * How long a client may read nothing of an answer. Node restarts this timer once if a part of the last write was read, so
   * the client is disconnected after one to two such times. In milliseconds.
   */
  stallTimeout?: number;
  /** How long the client may take to close its side after an answer to invalid HTTP. In milliseconds. */
  lingerTimeout?: number;
  /** How many connections there may be at once; further ones are closed as they come. */
  maxConnections?: number;
  logger: Logger;
};

/** All headers of a request together, as Node's default has it. */
const maxHeaderSize = 16 * 1024;

/** How many answers of one connection may wait, one behind the other. Browsers and proxies ask for one at a time. */
const maxPipelined = 8;

type Connection = {
  socket: Socket;
  responses: Set<ContextResponse>;
  /** Closes the connection once it has been without a request in progress for too long. */
  unused: NodeJS.Timeout;
  closeUnused: () => void;
};

/** The same for an encrypted socket as for the decrypted one above it: Node does not say which belong together. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/**
 * Node's HTTP server, in which Node's own answers are replaced by answers with a request id.
 * The application is attached with `serve` once the server listens, because only then its own address is known.
 */
export function createHttpServer(options: Options) {
  // A proxy in front keeps idle connections for a minute, as a rule. Closed from here first, one might be in use just then.
  const { tls, headersTimeout = 15_000, requestTimeout = 60_000, keepAliveTimeout = 65_000 } = options;
  const { stallTimeout = 60_000, lingerTimeout = 2_000, maxConnections = Infinity, logger } = options;
  const settings = {
    headersTimeout,
    handshakeTimeout: headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    maxHeaderSize,
    // Node looks for slow requests as often as this, so 408 comes up to a second late.
    connectionsCheckingInterval: Math.min(headersTimeout, 1_000),
    // A missing Host is refused by the application, which knows the request id.
    requireHostHeader: false,
  };
  const server: HttpServer = tls ? createTlsServer({ ...settings, ...tls }) : createServer(settings);
  /** Every open socket. With TLS these are the encrypted ones, which includes those in the handshake. */
  const sockets = new Set<Socket>();
  /** The connections on which HTTP is spoken; each has its answers that have not ended, the latest last. */
  const connections = new Map<Duplex, Connection>();
  const underWay = new Set<ContextResponse>();
  const waitingForAll: (() => void)[] = [];

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(tls ? 'secureConnection' : 'connection', watch);

  /**
   * Emits `close` on each answer when its connection ends. Node forgets the answers that wait behind another one as soon as
   * a CONNECT follows them: their turns would never end, and would keep their slots and the provider's replies.
   */
  function watch(socket: Socket): void {
    const responses = new Set<ContextResponse>();
    const closeUnused = () => {
      if (responses.size === 0) socket.destroy();
    };
    // Node restarts its own timers for line breaks between requests, and has none for a request that it has given up.
    const unused = setTimeout(closeUnused, keepAliveTimeout + headersTimeout).unref();
    connections.set(socket, { socket, responses, unused, closeUnused });
    socket.once('close', () => {
      clearTimeout(unused);
      connections.delete(socket);
      for (const response of responses) response.destroy();
    });
  }

  function track(response: ContextResponse, { responses, unused }: Connection): void {
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      unused.refresh();
    });
    underWay.add(response);
    // Later than its end, where what came of it has still to be stored.
    response.locals.context.onFinished(() => {
      underWay.delete(response);
      if (underWay.size === 0) for (const resolve of waitingForAll.splice(0)) resolve();
    });
  }

  server.maxConnections = maxConnections;
  server.timeout = stallTimeout;
  // A request in progress for which no bytes wait may take longer.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0 || !connections.get(socket)?.responses.size) socket.destroy();
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    // Node leaves the socket open after a failed TLS handshake, and there is no HTTP on it yet to answer in.
    if (connection === undefined) {
      socket.destroy();
      return void logger.info({ reason: error.code }, 'TLS handshake failed');
    }
    const responses = [...connection.responses];
    // Bytes written now would land in the middle of an answer that is being sent.
    if (responses.some((each) => each.headersSent && !each.writableFinished)) return void socket.destroy();
    // If only the body is invalid or slow, the request has its id already.
    const response = responses.at(-1);
    const { requestId, ids } = response && !response.headersSent ? response.locals.context : requestIds();
    answerParserError(error, socket, { requestId, ids, logger });
    // Destroyed at once, the answer could be lost: the kernel discards it if the client is still sending.
    setTimeout(() => socket.destroy(), lingerTimeout).unref();
  });

  return {
    server,

    /** Uses another certificate for new connections. Open connections stay as they are. */
    useCertificate(certificate: Certificate): void {
      if ('setSecureContext' in server) server.setSecureContext(certificate);
    },

    serve(listener: RequestListener): void {
      const handle: RequestListener = (request, response) => {
        const connection = connections.get(request.socket);
        // Node has read these requests in one piece already: it cannot pause between them.
        if (connection === undefined || connection.responses.size >= maxPipelined) {
          return void request.socket.destroy();
        }
        // Node drops the bytes that arrive together with a request to upgrade: a request in them would get no answer.
        if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        track(assignContext(request, response, logger), connection);
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

    connections: {
      /** Closes the connections that have no request in progress, also those in the TLS handshake. */
      closeUnused(): void {
        const secured = new Set<string>();
        for (const { socket, closeUnused } of connections.values()) {
          secured.add(peerOf(socket));
          closeUnused();
        }
        for (const socket of sockets) if (!secured.has(peerOf(socket))) socket.destroy();
      },

      closeAll(): void {
        for (const socket of sockets) socket.destroy();
      },
    },

    requests: {
      /** Answers every request that has had nothing yet. */
      failUnanswered(error: AppError): void {
        for (const response of [...underWay]) {
          if (response.headersSent) continue;
          // Its body may still be arriving, and the server no longer reads it.
          response.setHeader('Connection', 'close');
          sendError(response, error);
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
