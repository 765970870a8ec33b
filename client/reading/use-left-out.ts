import { useEffect, useState } from 'react';
import { whenIdle } from './when-idle.ts';

/** So many more turns take no longer than a frame or two. */
const turnsAtOnce = 40;

/**
 * How many of the earliest of `count` turns are left out at first, unless the page `isWhole` from the start: they come while
 * the browser is idle, or by `takeAll`.
 */
export function useLeftOut(count: number, isWhole: boolean) {
  const most = Math.max(0, count - turnsAtOnce);
  const [state, setState] = useState(most);
  const leftOut = isWhole ? 0 : Math.min(state, most);

  useEffect(() => {
    if (leftOut === 0) return;
    return whenIdle(() => setState(Math.max(0, leftOut - turnsAtOnce)));
  }, [leftOut]);

  return { leftOut, takeAll: () => setState(0) };
}
