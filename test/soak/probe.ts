import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/*
 * Loaded into the product beside its own program (`node --expose-gc --import`). It answers every message of the soak with what
 * the process holds once the garbage is collected, and changes nothing else.
 */

export type Held = { heapUsedBytes: number; longestStallMilliseconds: number; resources: Record<string, number> };

const stalls = monitorEventLoopDelay({ resolution: 10 });
stalls.enable();

process.on('message', async () => {
  const longestStallMilliseconds = stalls.max / 1e6;
  // What finalizers let go is garbage of the next round.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const resources: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
  stalls.reset();
  const held: Held = { heapUsedBytes: process.memoryUsage().heapUsed, longestStallMilliseconds, resources };
  process.send?.(held);
});
process.channel?.unref();

// A product whose soak is gone has nobody to end it.
process.once('disconnect', () => process.exit(1));
