import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

/*
 * Ports for servers that restart at the same address. They are below the system's ephemeral range: otherwise an outgoing
 * connection could take the port, or even connect to itself, while the server is down.
 */
const lowest = 20_000;
const highest = 32_000;

// Test processes have consecutive process ids. Multiplying spreads them, so that two processes rarely try the same ports.
let next = lowest + ((process.pid * 397) % (highest - lowest));

export async function findNonEphemeralPort(): Promise<number> {
  for (;;) {
    next = next === highest ? lowest : next + 1;
    // A concurrent call changes `next` meanwhile.
    const port = next;
    if (await isFree(port)) return port;
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
