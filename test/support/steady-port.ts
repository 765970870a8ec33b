import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

/**
 * A free port for a server that is stopped and started again at the same address. It lies below those that the system
 * gives to outgoing connections: one of them could take the port, or even meet itself there, while its server is away.
 */
const lowest = 20_000;
const highest = 32_000;

// Processes of tests have neighbouring ids: each gets a stretch of its own.
let next = lowest + ((process.pid * 397) % (highest - lowest));

export async function steadyPort(): Promise<number> {
  for (;;) {
    next = next === highest ? lowest : next + 1;
    if (await isFree(next)) return next;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen(port, '127.0.0.1');
  if (!(await listening)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
