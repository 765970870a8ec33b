import process from 'node:process';

/** Returns the CPU time of this thread for `work`, in milliseconds. It is independent of the machine's load. */
export function processorMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
