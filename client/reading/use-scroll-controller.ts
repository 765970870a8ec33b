import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { TurnsState } from '../chat/conversation-state.ts';
import { createScrollController, type ScrollController } from './scroll-controller.ts';

type Elements = { log: RefObject<HTMLElement | null>; dock: RefObject<HTMLElement | null> };

/** Maintains the reading position in `log`. Returns whether its end is in view, and a function that scrolls to it. */
export function useScrollController({ log, dock }: Elements, { turns, phase, wasSentAutomatically }: TurnsState) {
  const [isEndVisible, setIsEndVisible] = useState(true);
  const controller = useRef<ScrollController>(undefined);
  const last = turns.at(-1);
  // A continuation grows at the end of its reply, which may be what the user is reading.
  const isAsked = phase.name !== 'idle' && last?.ending === null && !last.isContinuation;
  const runningRequestId = isAsked ? last.requestId : undefined;

  useLayoutEffect(() => {
    if (log.current === null || dock.current === null) return;
    const current = createScrollController({
      log: log.current,
      dock: dock.current,
      onChange: setIsEndVisible,
    });
    controller.current = current;
    return () => {
      controller.current = undefined;
      current.stop();
    };
  }, [log, dock]);

  useLayoutEffect(() => {
    if (runningRequestId !== undefined) controller.current?.onQuestionAsked(wasSentAutomatically);
  }, [runningRequestId, wasSentAutomatically]);

  return {
    isEndVisible,
    goToEnd: useCallback(() => controller.current?.goToEnd(), []),
  };
}
