import { useEffect, useState } from 'react';
import { partEnd } from './text-weight.ts';
import { whenIdle } from './when-idle.ts';

/** How many characters of `text` are to be drawn now: a long text is drawn in parts, the next one when the browser is idle. */
export function useInParts(text: string): number {
  const [drawn, setDrawn] = useState(() => partEnd(text, 0));
  const next = partEnd(text, drawn);
  const isNearlyDone = next >= text.length;
  const end = isNearlyDone ? text.length : drawn;
  if (isNearlyDone && text.length > drawn) setDrawn(text.length);

  useEffect(() => {
    if (isNearlyDone) return;
    return whenIdle(() => setDrawn(next));
  }, [isNearlyDone, next]);

  return end;
}
