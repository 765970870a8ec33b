import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { TurnsState } from '../chat/conversation-state.ts';
import { type Below, createScrollController, type ScrollController } from './scroll-controller.ts';

type Elements = { log: RefObject<HTMLElement | null>; dock: RefObject<HTMLElement | null> };

/** Maintains the reading position in `log`. Returns the state below the window, and a function that scrolls to the end. */
export function useScrollController({ log, dock }: Elements, { turns, phase, wasSentAutomatically }: TurnsState) {
  const [below, setBelow] = useState<Below>({ isEndVisible: true, newLines: 0 });
  const controller = useRef<ScrollController>(undefined);
  const last = turns.at(-1);
  const runningRequestId = phase.name !== 'idle' && last?.ending === null ? last.requestId : undefined;

  useLayoutEffect(() => {
    if (log.current === null || dock.current === null) return;
    const onChange = (now: Below) => setBelow((before) => (isSame(before, now) ? before : now));
    const current = createScrollController({
      log: log.current,
      dock: dock.current,
      onChange,
    });
    controller.current = current;
    return () => {
      controller.current = undefined;
      current.stop();
    };
  }, [log, dock]);

  useLayoutEffect(() => {
    if (runningRequestId !== undefined) controller.current?.questionAsked(wasSentAutomatically);
  }, [runningRequestId, wasSentAutomatically]);

  return { below, goToEnd: useCallback(() => controller.current?.goToEnd(), []) };
}

function isSame(a: Below, b: Below): boolean {
  return a.isEndVisible === b.isEndVisible && a.newLines === b.newLines;
}
