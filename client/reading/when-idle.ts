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
