/** The wait in a browser that does not tell when it is idle: short, but after its present work. */
const soonMilliseconds = 30;

/** Calls `work` once the browser has nothing more urgent to do, unless the returned function was called before. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, soonMilliseconds);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}

/** The first page has loaded what it needs by then, also on a slow connection. */
const settledMilliseconds = 2000;

/** Calls `work` when the browser is idle and the first page no longer loads, unless the returned function was called before. */
export function whenSettled(work: () => void): () => void {
  let cancelIdle: (() => void) | undefined;
  const timer = setTimeout(() => {
    cancelIdle = whenIdle(work);
  }, settledMilliseconds);
  return () => {
    clearTimeout(timer);
    cancelIdle?.();
  };
}
