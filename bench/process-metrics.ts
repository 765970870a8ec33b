import process from 'node:process';
import { serveCalls } from './calls.ts';

/*
 * Preloaded into every contender (`node --import`), so that all of them, including the product, are measured in the
 * same way and need no code for it.
 */

const functions = {
  /** Returns the CPU time of this process so far in microseconds: all threads, user and system. */
  cpu(): number {
    const { user, system } = process.cpuUsage();
    return user + system;
  },

  /** Returns the resident set size in bytes, before and after garbage collection. */
  async memory(): Promise<{ beforeCollection: number; afterCollection: number }> {
    const beforeCollection = process.memoryUsage.rss();
    // Objects released by finalizers become garbage only in the next collection, so one collection is not enough.
    for (let times = 0; times < 3; times += 1) {
      // A last-resort collection also returns unused pages to the operating system.
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      await new Promise(setImmediate);
    }
    return { beforeCollection, afterCollection: process.memoryUsage.rss() };
  },
};

export type MeasuringFunctions = typeof functions;

serveCalls(functions);
