import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into the product beside its own program. It answers a signal with a line of what the process holds once the garbage is
 * collected, and changes nothing else.
 */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', async () => {
  // What finalizers let go is garbage of the next round.
  for (let round = 0; round < 3; round += 1) {
    collect();
    await nextTurn();
  }
  const resources: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify({ heapBytes: process.memoryUsage().heapUsed, resources })}\n`);
});
