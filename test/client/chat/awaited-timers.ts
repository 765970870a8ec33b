import process from 'node:process';

/** Returns the number of timers that keep this process running. */
export function awaitedTimers(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
}
