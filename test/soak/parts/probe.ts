import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sample } from '../records.ts';

/*
 * Loaded into the product beside its own program (`node --expose-gc --import`): it answers every message on the channel to
 * the soak with what the process holds once the garbage is collected, and changes nothing else.
 */

export type ProbeAnswer = Omit<Sample, 'life' | 'progress'>;

const stalls = monitorEventLoopDelay({ resolution: 10 });
stalls.enable();

process.on('message', async () => {
  const longestStallMilliseconds = stalls.max / 1e6;
  // What finalizers let go is garbage of the next round.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
  stalls.reset();
  const answer: ProbeAnswer = { heapUsedBytes: heapUsed, residentBytes: rss, resources, longestStallMilliseconds };
  process.send?.(answer);
});
process.channel?.unref();

// A product whose soak is gone has nobody to end it.
process.once('disconnect', () => process.exit(1));
