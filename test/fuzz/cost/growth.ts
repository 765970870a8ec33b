import type { Measured } from '../served/talk.ts';

const spareHandles = 50;
const spareHeapBytes = 64 * 1024 * 1024;

/** Whether the process grows from the first measurement on; connections and caches may have their ups and downs. */
export function createGrowth() {
  let first: Measured | undefined;

  return (now: Measured): string[] => {
    first ??= now;
    return [
      ...(now.handles > first.handles + spareHandles
        ? [`The process has ${now.handles} handles open, and had ${first.handles} at first.`]
        : []),
      ...(now.heapBytes > 2 * first.heapBytes + spareHeapBytes
        ? [`The process holds ${now.heapBytes} bytes of objects, and held ${first.heapBytes} at first.`]
        : []),
    ];
  };
}
