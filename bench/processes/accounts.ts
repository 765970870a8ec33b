import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { answerCalls } from './answer-calls.ts';

/*
 * Loaded before a contender's own module (`node --import`), so that every contender, the product included, is measured in the
 * same way and knows nothing of it.
 */

let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

const calls = {
  /** Microseconds of processor time that this process has had so far, all its threads, user and system. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return user + system;
  },

  /** Bytes: of the process as it stands, garbage included; after garbage was collected; and of those what JavaScript holds. */
  async memory(): Promise<{ asItStands: number; resident: number; held: number }> {
    const asItStands = process.memoryUsage.rss();
    // What finalizers let go is garbage only at the next collection.
    for (let times = 0; times < 3; times += 1) {
      // Gives pages back that are not needed: what remains is what the process holds.
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      await new Promise(setImmediate);
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { asItStands, resident: rss, held: heapUsed + external };
  },

  /** From now on, notes by how much the event loop is late. */
  watchLoop(): void {
    delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
  },

  /** How late it was since `watchLoop`, in milliseconds beyond the five at which it was looked at. */
  loopDelay(): { p50: number; p99: number; most: number } {
    if (delays === undefined) throw new Error('The loop is not watched.');
    delays.disable();
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 5);
    return { p50: late(delays.percentile(50)), p99: late(delays.percentile(99)), most: late(delays.max) };
  },
};

export type Accounts = typeof calls;

answerCalls(calls);
