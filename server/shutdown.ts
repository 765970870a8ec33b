import { once } from 'node:events';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { LateWrites } from './chat/late-writes.ts';
import type { Config } from './config/config.ts';
import type { Connections, HttpServer, RequestsUnderWay } from './http/http-server.ts';

export type StopOptions = {
  /** Skips the delay for balancers and the grace period of the last connections. */
  atOnce?: boolean;
};

type ShutdownParts = {
  config: Pick<Config, 'shutdownDelayMilliseconds' | 'shutdownGraceMilliseconds'>;
  server: HttpServer;
  connections: Connections;
  requests: RequestsUnderWay;
  lateWrites: LateWrites;
  /** Closes the other parts. */
  close: () => Promise<unknown>;
};

/**
 * Grace period for connections accepted just before the listener closed. A balancer sends a request elsewhere if a connection
 * is refused, but not if it was accepted.
 */
const lastArrivalsMilliseconds = 2_000;

/** How long pending writes may take once the last connection is closed. */
const storingMilliseconds = 10_000;

/** How long the other parts may take to close: a frozen database never does. */
const closingMilliseconds = 5_000;

/** The steps in which a process stops. The signals abort one after the other, each when its step begins. */
export function createShutdown() {
  const stopping = new AbortController();
  const draining = new AbortController();
  const cut = new AbortController();

  return {
    /** Balancers should send no more requests. */
    stopping: stopping.signal,
    /** New requests are refused. */
    draining: draining.signal,
    /** Running replies must end. */
    cut: cut.signal,

    /**
     * Reports that the process is not ready, refuses requests after the delay, lets replies finish within the grace period,
     * ends and stores the rest, and closes everything.
     */
    async stop(parts: ShutdownParts, { atOnce = false }: StopOptions = {}) {
      const { config, server, connections, requests, lateWrites, close } = parts;
      stopping.abort();
      if (!atOnce) await delay(config.shutdownDelayMilliseconds);
      const graceMilliseconds = config.shutdownGraceMilliseconds;
      const drained = drain(server, { connections, graceMilliseconds, draining: draining.signal, cut });
      const arrived = delay(atOnce ? 0 : lastArrivalsMilliseconds, undefined, { ref: false });
      await Promise.race([drained, arrived, once(cut.signal, 'abort')]);
      draining.abort();
      await drained;
      const deadline = AbortSignal.timeout(storingMilliseconds);
      await Promise.race([requests.over(), once(deadline, 'abort')]);
      await lateWrites.drain(deadline);
      await Promise.race([close(), delay(closingMilliseconds, undefined, { ref: false })]);
    },
  };
}

/** How long a client may take to read the end of a reply that was cut. */
const lastWordsMilliseconds = 5_000;

/** A round of the event loop in which hardly any client can have connected. */
const quietMilliseconds = 1;

const maxRounds = 100;

type DrainOptions = {
  connections: Connections;
  graceMilliseconds: number;
  /** From then on, connections without a request in progress are closed, whatever has arrived on them. */
  draining: AbortSignal;
  cut: AbortController;
};

/** Accepts no more connections and resolves when the last is closed; requests still in progress after the grace period are cut. */
export async function drain(server: HttpServer, { connections, graceMilliseconds, draining, cut }: DrainOptions) {
  await quietRound();
  const closed = new Promise((resolve) => server.close(resolve));
  // Connections that are kept alive fall idle one by one, as their replies end.
  const sweeping = setInterval(() => {
    if (draining.aborted) connections.closeUnused();
    else server.closeIdleConnections();
  }, 50);
  const cutting = setTimeout(() => cut.abort(), graceMilliseconds);
  const closing = setTimeout(() => connections.closeAll(), graceMilliseconds + lastWordsMilliseconds);
  await closed;
  clearInterval(sweeping);
  clearTimeout(cutting);
  clearTimeout(closing);
}

/**
 * Each round of the event loop accepts all clients that wait for the server. A client that connects after that and before the
 * server closes is disconnected although it believes that it is connected, so that moment has to be short.
 */
async function quietRound(): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const began = performance.now();
    await nextRound();
    if (performance.now() - began < quietMilliseconds) return;
  }
}
