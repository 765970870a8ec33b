import { useEffect, useState } from 'react';
import { partEnd } from './text-weight.ts';
import { whenIdle } from './when-idle.ts';

/** Returns how many characters of `text` to render now. A long text is rendered in parts, one at each idle moment. */
export function useRenderedLength(text: string): number {
  const [renderedEnd, setRenderedEnd] = useState(() => partEnd(text, 0));
  const next = partEnd(text, renderedEnd);
  const isNearlyDone = next >= text.length;
  const end = isNearlyDone ? text.length : renderedEnd;
  if (isNearlyDone && text.length > renderedEnd) setRenderedEnd(text.length);

  useEffect(() => {
    if (isNearlyDone) return;
    return whenIdle(() => setRenderedEnd(next));
  }, [isNearlyDone, next]);

  return end;
}
