import { constants } from 'node:os';
import process from 'node:process';

/**
 * Waits for `work`, and exits at once on SIGINT or SIGTERM. As process 1 of a container, Node has no default handler
 * for these signals, and a migration can take long.
 */
export async function stoppable<T>(work: Promise<T>): Promise<T> {
  const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, exit);
  try {
    return await work;
  } finally {
    for (const name of names) process.off(name, exit);
  }
}
