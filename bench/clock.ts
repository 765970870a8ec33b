import process from 'node:process';

/** Milliseconds on the machine's monotonic clock, which on Linux all processes share: times taken in two of them compare. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
