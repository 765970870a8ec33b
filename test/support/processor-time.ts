import process from 'node:process';

/** The processor time of this thread for `work`, in milliseconds. Other processes on the machine do not add to it. */
export function processorMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
