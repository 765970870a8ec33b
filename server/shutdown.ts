import { once } from 'node:events';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { LateWrites } from './chat/late-writes.ts';
import type { Config } from './config/config.ts';
import type { HttpServer, RequestsUnderWay } from './http/http-server.ts';

export type StopOptions = {
  /** Does not wait until balancers know, nor for the last connections. */
  atOnce?: boolean;
};

type ShutdownParts = {
  config: Pick<Config, 'shutdownDelayMilliseconds' | 'shutdownGraceMilliseconds'>;
  server: HttpServer;
  requests: RequestsUnderWay;
  lateWrites: LateWrites;
  /** Closes the other parts. */
  close: () => Promise<unknown>;
};

/**
 * How long who connected before no connection was taken any more may take to ask. A balancer that finds a connection refused
 * sends the request elsewhere; one that was taken it does not.
 */
const lastArrivalsMilliseconds = 2_000;

/** How long what is left to be stored may take once the last connection is closed. */
const storingMilliseconds = 10_000;

/** How long the other parts may take to close: a database that is frozen never does. */
const closingMilliseconds = 5_000;

/** How a process leaves. The signals abort one after the other, each when its step begins. */
export function createShutdown() {
  const stopping = new AbortController();
  const draining = new AbortController();
  const cut = new AbortController();

  return {
    /** No more requests ought to come. */
    stopping: stopping.signal,
    /** No more requests are taken. */
    draining: draining.signal,
    /** Running replies must end. */
    cut: cut.signal,

    /**
     * Says that it is not ready; after the delay takes no more requests, lets replies finish within the grace, ends and stores
     * the rest, and closes everything.
     */
    async stop({ config, server, requests, lateWrites, close }: ShutdownParts, { atOnce = false }: StopOptions = {}) {
      stopping.abort();
      if (!atOnce) await delay(config.shutdownDelayMilliseconds);
      const drained = drain(server, { graceMilliseconds: config.shutdownGraceMilliseconds, cut });
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

/** How long a reply that was cut may take to reach its reader. */
const lastWordsMilliseconds = 5_000;

/** A round of the event loop in which hardly anybody can have come. */
const quietMilliseconds = 1;

const maxRounds = 100;

/** Takes no more connections and resolves when the last is closed; what still runs after the grace is cut. */
export async function drain(server: HttpServer, options: { graceMilliseconds: number; cut: AbortController }) {
  const { graceMilliseconds, cut } = options;
  await quietRound();
  const closed = new Promise((resolve) => server.close(resolve));
  // Connections that are kept alive fall idle one by one, as their replies end.
  const sweeping = setInterval(() => server.closeIdleConnections(), 50);
  const cutting = setTimeout(() => cut.abort(), graceMilliseconds);
  const closing = setTimeout(() => server.closeAllConnections(), graceMilliseconds + lastWordsMilliseconds);
  await closed;
  clearInterval(sweeping);
  clearTimeout(cutting);
  clearTimeout(closing);
}

/**
 * Each round of the event loop takes whoever waits for the server. Who comes after that and before the server closes has a
 * connection, as far as they can see, and is cut off: so that moment has to be short.
 */
async function quietRound(): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const began = performance.now();
    await nextRound();
    if (performance.now() - began < quietMilliseconds) return;
  }
}
