import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextLoopRound } from 'node:timers/promises';
import type { LateWrites } from '../chat/late-writes.ts';
import type { Config } from '../config/config.ts';
import type { ClientConnections, RequestsInFlight } from '../http/http-server.ts';

export type StopOptions = {
  /** Skips the delay for load balancers and the grace period for new connections. */
  atOnce?: boolean;
};

type ShutdownDependencies = {
  config: Pick<Config, 'shutdownDelayMilliseconds' | 'shutdownGraceMilliseconds'>;
  server: Server;
  connections: ClientConnections;
  requests: RequestsInFlight;
  lateWrites: LateWrites;
  close: () => Promise<unknown>;
};

/**
 * Grace period for requests on connections accepted just before the listener closed. A load balancer tries another
 * instance if a connection is refused, but not if it was accepted.
 */
const newConnectionGraceMilliseconds = 2_000;

/** The time for pending writes after the last client has been disconnected. If replies end early, the writes have more time. */
const writeDeadlineMilliseconds = 10_000;

/** The time for the other dependencies to close. A frozen database never closes. */
const closeDeadlineMilliseconds = 5_000;

/** Each signal aborts when its phase starts; `graceEnded` only if replies take longer than the grace period. */
export function createShutdown() {
  const stopping = new AbortController();
  const draining = new AbortController();
  const graceEnded = new AbortController();

  return {
    /** The process is not ready: load balancers should send no more requests. */
    stopping: stopping.signal,
    /** The process refuses new requests. */
    draining: draining.signal,
    /** Replies in flight must end. */
    graceEnded: graceEnded.signal,

    /**
     * Makes the process not ready, closes the listener after the delay, and then refuses requests on open connections. Gives
     * replies the grace period to finish, aborts the rest and stores their partial text. Retries pending writes until a deadline,
     * and closes everything.
     */
    async stop(dependencies: ShutdownDependencies, { atOnce = false }: StopOptions = {}) {
      const { config, server, connections, requests, lateWrites, close } = dependencies;
      const startedAt = performance.now();
      stopping.abort();
      if (!atOnce) await delay(config.shutdownDelayMilliseconds);
      const graceMilliseconds = config.shutdownGraceMilliseconds;
      const serverClosed = closeServer(server, {
        connections,
        graceMilliseconds,
        draining: draining.signal,
        graceEnded,
      });
      const newConnectionGrace = delay(atOnce ? 0 : newConnectionGraceMilliseconds, undefined, { ref: false });
      await Promise.race([serverClosed, newConnectionGrace, once(graceEnded.signal, 'abort')]);
      draining.abort();
      await serverClosed;
      const writesEndMilliseconds =
        config.shutdownDelayMilliseconds + graceMilliseconds + readDeadlineMilliseconds + writeDeadlineMilliseconds;
      const deadline = new AbortController();
      setTimeout(() => deadline.abort(), writesEndMilliseconds - (performance.now() - startedAt)).unref();
      await Promise.race([requests.allFinished(), once(deadline.signal, 'abort')]);
      await lateWrites.drain(deadline.signal);
      await Promise.race([close(), delay(closeDeadlineMilliseconds, undefined, { ref: false })]);
    },
  };
}

/** The time for clients to read the end of replies that were aborted after the grace period. */
const readDeadlineMilliseconds = 5_000;

/** A round of the event loop shorter than this has accepted few clients, if any. */
const quietMilliseconds = 1;

const maxRounds = 100;

type CloseServerOptions = {
  connections: ClientConnections;
  graceMilliseconds: number;
  /** Once aborted, connections without a request in progress are closed, even if part of a request has arrived. */
  draining: AbortSignal;
  graceEnded: AbortController;
};

/** Closes the listener and resolves when the last connection is closed. Aborts `graceEnded` after the grace period. */
export async function closeServer(
  server: Server,
  { connections, graceMilliseconds, draining, graceEnded }: CloseServerOptions,
) {
  await waitForQuietRound();
  const closed = new Promise((resolve) => server.close(resolve));
  // Keep-alive connections become idle one by one, as their replies end.
  const closeIdleTimer = setInterval(() => {
    if (draining.aborted) connections.closeIdle();
    else server.closeIdleConnections();
  }, 50);
  const graceTimer = setTimeout(() => graceEnded.abort(), graceMilliseconds);
  const closeAllTimer = setTimeout(() => connections.closeAll(), graceMilliseconds + readDeadlineMilliseconds);
  await closed;
  clearInterval(closeIdleTimer);
  clearTimeout(graceTimer);
  clearTimeout(closeAllTimer);
}

/**
 * Resolves after a short round of the event loop, or after `maxRounds`. Each round accepts all waiting clients. A
 * client that connects after that and before the listener closes is disconnected although its connection succeeded, so
 * this window must be short.
 */
async function waitForQuietRound(): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const startedAt = performance.now();
    await nextLoopRound();
    if (performance.now() - startedAt < quietMilliseconds) return;
  }
}
