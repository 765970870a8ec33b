import { constants } from 'node:os';
import process from 'node:process';

/**
 * Waits for `work`, and ends the process at once where it is told to stop meanwhile. As process 1 of a container it would
 * not end by itself, and a migration may wait for long.
 */
export async function stoppable<T>(work: Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, end);
  try {
    return await work;
  } finally {
    for (const name of names) process.off(name, end);
  }
}
