import type { HttpServer } from './http-server.ts';

/** How long a reply that was cut may take to reach its reader. */
const lastWordsMilliseconds = 5_000;

/** Takes no more connections and resolves when the last is closed; what still runs after the grace is cut. */
export async function drain(server: HttpServer, options: { graceMilliseconds: number; cut: AbortController }) {
  const { graceMilliseconds, cut } = options;
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
