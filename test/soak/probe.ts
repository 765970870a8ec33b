import process from 'node:process';

/*
 * Preloaded into the product. On SIGUSR2, it collects garbage and prints the heap size and the active resources.
 */

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const resources: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify({ heapBytes: process.memoryUsage().heapUsed, resources })}\n`);
});
