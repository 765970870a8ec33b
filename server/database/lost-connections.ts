import type { EventEmitter } from 'node:events';

/** As much of `pg`'s pool and its clients as this needs. */
type Client = EventEmitter & { release(destroy: boolean): void };
type Pool = {
  on(event: 'connect' | 'acquire', listener: (client: Client) => void): unknown;
  on(event: 'release', listener: (error: unknown, client: Client) => void): unknown;
};

/** Longer than any work here may take: what is held for so long was lost. */
const longestWorkMilliseconds = 30_000;

/** How long the holder of a connection that has ended gets to give it back. */
const farewellMilliseconds = 1_000;

/**
 * Gives back to the pool what the query builder loses: it keeps a connection for good when the `begin`, `commit` or
 * `rollback` on it fails, so that as many of them as the pool has connections would leave none for anybody.
 */
export function reclaimLostConnections(pool: Pool): void {
  const held = new Map<Client, NodeJS.Timeout>();

  function watch(client: Client, milliseconds: number): void {
    clearTimeout(held.get(client));
    const reclaim = () => {
      if (held.has(client)) client.release(true);
    };
    held.set(client, setTimeout(reclaim, milliseconds));
  }

  pool.on('connect', (client) => {
    client.once('end', () => {
      if (held.has(client)) watch(client, farewellMilliseconds);
    });
  });
  pool.on('acquire', (client) => watch(client, longestWorkMilliseconds));
  pool.on('release', (_error, client) => {
    clearTimeout(held.get(client));
    held.delete(client);
  });
}
