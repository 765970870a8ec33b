import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { TurnsState } from '../chat/conversation-state.ts';
import type { AutoScrollSetting } from './auto-scroll.ts';
import { type Below, createScrollController, type ScrollController } from './scroll-controller.ts';

type Elements = { log: RefObject<HTMLElement | null>; dock: RefObject<HTMLElement | null> };

/** Maintains the reading position in `log`. Returns what is below the window, and a function that scrolls to the end. */
export function useScrollController(
  { log, dock }: Elements,
  { turns, phase, wasSentAutomatically }: TurnsState,
  follow: AutoScrollSetting,
) {
  const [below, setBelow] = useState<Below>({ isEndShown: true, newLines: 0 });
  const controller = useRef<ScrollController>(undefined);
  const setting = useRef(follow);
  const last = turns.at(-1);
  const askedId = phase.name !== 'idle' && last?.ending === null ? last.requestId : undefined;

  useLayoutEffect(() => {
    setting.current = follow;
  }, [follow]);

  useLayoutEffect(() => {
    if (log.current === null || dock.current === null) return;
    const onChange = (now: Below) => setBelow((before) => (isSame(before, now) ? before : now));
    const current = createScrollController({
      log: log.current,
      dock: dock.current,
      follow: () => setting.current,
      onChange,
    });
    controller.current = current;
    return () => {
      controller.current = undefined;
      current.stop();
    };
  }, [log, dock]);

  useLayoutEffect(() => {
    if (askedId !== undefined) controller.current?.questionAsked(wasSentAutomatically);
  }, [askedId, wasSentAutomatically]);

  return { below, goToEnd: useCallback(() => controller.current?.goToEnd(), []) };
}

function isSame(a: Below, b: Below): boolean {
  return a.isEndShown === b.isEndShown && a.newLines === b.newLines;
}
