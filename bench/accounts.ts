import process from 'node:process';
import { answerCalls } from './calls.ts';

/*
 * Loaded before a contender's own module (`node --import`), so that every contender, the product included, is measured in the
 * same way and knows nothing of it.
 */

const calls = {
  /** Microseconds of processor time that this process has had so far, all its threads, user and system. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return user + system;
  },

  /** Bytes of the process as it stands, garbage included, and after garbage was collected. */
  async memory(): Promise<{ asItStands: number; resident: number }> {
    const asItStands = process.memoryUsage.rss();
    // What finalizers let go is garbage only at the next collection.
    for (let times = 0; times < 3; times += 1) {
      // Gives pages back that are not needed: what remains is what the process holds.
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      await new Promise(setImmediate);
    }
    return { asItStands, resident: process.memoryUsage.rss() };
  },
};

export type Accounts = typeof calls;

answerCalls(calls);
