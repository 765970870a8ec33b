import { startTransition, useEffect, useState } from 'react';
import { whenIdle } from '../reading/when-idle.ts';

/**
 * How many of `total` parts of a long list to draw: the first one at once, then one more whenever the browser has nothing
 * better to do. In the end all of them are on the page, to be found, printed and read out.
 */
export function useDrawnCount(total: number): number {
  const [count, setCount] = useState(1);
  useEffect(() => {
    if (count >= total) return;
    return whenIdle(() => startTransition(() => setCount((drawn) => drawn + 1)));
  }, [count, total]);
  return Math.min(count, total);
}
