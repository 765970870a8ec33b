import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { TurnsState } from '../chat/conversation-state.ts';
import type { Follow } from './following.ts';
import { type Below, createReading, type Reading } from './reading.ts';

type Places = { log: RefObject<HTMLElement | null>; dock: RefObject<HTMLElement | null> };

/** Holds the reading position in `log`. Returns what is below the window, and a function that scrolls to the end. */
export function useReading({ log, dock }: Places, { turns, phase, wasSentAutomatically }: TurnsState, follow: Follow) {
  const [below, setBelow] = useState<Below>({ isEndShown: true, newLines: 0 });
  const reading = useRef<Reading>(undefined);
  const setting = useRef(follow);
  const last = turns.at(-1);
  const askedId = phase.name !== 'idle' && last?.ending === null ? last.requestId : undefined;

  useLayoutEffect(() => {
    setting.current = follow;
  }, [follow]);

  useLayoutEffect(() => {
    if (log.current === null || dock.current === null) return;
    const onChange = (now: Below) => setBelow((before) => (isSame(before, now) ? before : now));
    const current = createReading({
      log: log.current,
      dock: dock.current,
      follow: () => setting.current,
      onChange,
    });
    reading.current = current;
    return () => {
      reading.current = undefined;
      current.stop();
    };
  }, [log, dock]);

  useLayoutEffect(() => {
    if (askedId !== undefined) reading.current?.questionAsked(wasSentAutomatically);
  }, [askedId, wasSentAutomatically]);

  return { below, goToEnd: useCallback(() => reading.current?.goToEnd(), []) };
}

function isSame(a: Below, b: Below): boolean {
  return a.isEndShown === b.isEndShown && a.newLines === b.newLines;
}
