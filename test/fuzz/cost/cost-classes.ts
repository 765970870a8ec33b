/** How many times the usual cost of its size a request may cost. */
export const mostTimes = 20;
/** Below this, in microseconds, a cost says more about the machine than about the request. */
const leastMicroseconds = 20_000;
/** Of each class the latest costs count. */
const mostKept = 501;

/** What requests of each size usually cost, in processor time. A class takes in sizes up to four times its smallest. */
export function createCostClasses() {
  const classes = new Map<number, number[]>();

  function keptOf(sizeBytes: number): number[] {
    const key = Math.max(5, Math.ceil(Math.log2(Math.max(1, sizeBytes)) / 2));
    const kept = classes.get(key) ?? [];
    classes.set(key, kept);
    return kept;
  }

  return {
    add(sizeBytes: number, cpuMicroseconds: number): void {
      const kept = keptOf(sizeBytes);
      kept.push(cpuMicroseconds);
      if (kept.length > mostKept) kept.shift();
    },

    /** The most that a request of this size may cost, in microseconds. */
    most(sizeBytes: number): number {
      const sorted = keptOf(sizeBytes).toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
      return Math.max(leastMicroseconds, mostTimes * median);
    },
  };
}

export type CostClasses = ReturnType<typeof createCostClasses>;
