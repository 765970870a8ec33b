import { setImmediate as nextRound } from 'node:timers/promises';
import type { HttpServer } from './http-server.ts';

/** How long a reply that was cut may take to reach its reader. */
const lastWordsMilliseconds = 5_000;

/** A round of the event loop in which hardly anybody can have come. */
const quietMilliseconds = 1;

const mostRounds = 100;

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
  for (let rounds = 0; rounds < mostRounds; rounds += 1) {
    const began = performance.now();
    await nextRound();
    if (performance.now() - began < quietMilliseconds) return;
  }
}
