import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { deviceStorage } from '../device/device-storage.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import {
  currentPosition,
  loadPosition,
  type ReadingPosition,
  restorePosition,
  savePosition,
} from '../reading/reading-position.ts';

export type ReadingPositions = ReturnType<typeof useReadingPositions>;

/**
 * Returns the reading positions in this tab's conversations, and whether the user is returning to one: by Back or Forward, or, to
 * the one stored under `key`, by a reload.
 */
export function useReadingPositions(key: string, openId: string) {
  const [stored] = useState(() => loadPosition(deviceStorage('sessionStorage'), key));
  const positions = useRef(new Map<string, ReadingPosition>(stored && [[stored.id, stored]]));
  const isReturning = useRef(stored?.id === openId);
  // The listener is registered once, before the router: a listener added later would run after the router has rendered the page.
  useEffect(() => {
    const onPopState = () => {
      isReturning.current = true;
    };
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const positionToRestore = useCallback(
    (id: string) => (isReturning.current ? positions.current.get(id) : undefined),
    [],
  );
  return { key, positions, isReturning, positionToRestore };
}

/** Restores the reading position after Back, Forward or a reload. */
export function useReadingPosition(
  { key, positions, isReturning, positionToRestore }: ReadingPositions,
  id: string,
): void {
  useLayoutEffect(() => {
    const stored = positions.current;
    const position = positionToRestore(id);
    isReturning.current = false;
    const cancel = position && restorePosition(position, loadMarkdown());
    const save = () => savePosition(deviceStorage('sessionStorage'), key, currentPosition(id));
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      cancel?.();
      const last = currentPosition(id);
      if (last) stored.set(id, last);
    };
  }, [key, positions, isReturning, positionToRestore, id]);
}
