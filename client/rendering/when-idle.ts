/** The delay in browsers without `requestIdleCallback`: short, but after the current task. */
const soonMilliseconds = 30;

/** Calls `work` once the browser has nothing more urgent to do. Returns a cancel function. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, soonMilliseconds);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}

/** By then the first page has loaded what it needs, even on a slow connection. */
const initialLoadMilliseconds = 2000;

/** Calls `work` when the browser is idle after the first page has loaded. Returns a cancel function. */
export function whenIdleAfterLoad(work: () => void): () => void {
  let cancelIdle: (() => void) | undefined;
  const timer = setTimeout(() => {
    cancelIdle = whenIdle(work);
  }, initialLoadMilliseconds);
  return () => {
    clearTimeout(timer);
    cancelIdle?.();
  };
}
