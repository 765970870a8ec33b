/** The delay in browsers without `requestIdleCallback`: short, but after the current task. */
const soonMilliseconds = 30;

export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, soonMilliseconds);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}

/** Within this time the first page has usually loaded what it needs. */
const initialLoadMilliseconds = 2000;

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
