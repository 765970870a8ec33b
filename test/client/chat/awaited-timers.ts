import process from 'node:process';

/** Returns the number of timers that keep this process running. */
export const awaitedTimers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
