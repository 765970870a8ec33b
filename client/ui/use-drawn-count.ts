import { startTransition, useEffect, useState } from 'react';

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

/** Runs `action` once the browser is idle; calling the result calls it off. Safari does not tell when it is. */
function whenIdle(action: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(action, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(action);
  return () => cancelIdleCallback(request);
}
