import { useEffect, useState } from 'react';
import { whenIdle } from './when-idle.ts';

/** As much as can be read and drawn in one go without holding up the page: three windows full, or so. */
export const partCharacters = 6000;

/** How many characters of `text` are to be drawn now: a long text is drawn in parts, the next one when the browser is idle. */
export function useInParts(text: string): number {
  const [drawn, setDrawn] = useState(partCharacters);
  const isNearlyDone = text.length - drawn <= partCharacters;
  const end = isNearlyDone ? text.length : drawn;
  if (isNearlyDone && text.length > drawn) setDrawn(text.length);

  useEffect(() => {
    if (isNearlyDone) return;
    return whenIdle(() => setDrawn(drawn + partCharacters));
  }, [isNearlyDone, drawn]);

  return end;
}
