import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import process from 'node:process';

/*
 * Preloaded into a spawned server by `--import`. Sends SIGTERM once the server listens on the address in HOST, before the event
 * loop can read the signal and before the code after the call of `listen` continues.
 */
subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const server = typeof message === 'object' && message !== null && 'server' in message ? message.server : undefined;
  const address = server instanceof Server ? server.address() : null;
  if (typeof address === 'object' && address?.address === process.env.HOST) process.kill(process.pid, 'SIGTERM');
});
