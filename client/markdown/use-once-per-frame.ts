import { useEffect, useState } from 'react';

/**
 * A `value` that changes often, taken over at most once a frame. Once `isFinal`, it is the value itself: a hidden page has
 * no frames, and the last word must not wait for one.
 */
export function useOncePerFrame<Value>(value: Value, isFinal: boolean): Value {
  const [shown, setShown] = useState(value);

  useEffect(() => {
    if (isFinal) return;
    const frame = requestAnimationFrame(() => setShown(() => value));
    return () => cancelAnimationFrame(frame);
  }, [value, isFinal]);

  return isFinal ? value : shown;
}
