import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { deviceStorage } from '../../device/device-storage.ts';
import { loadMarkdown } from '../../markdown/load-markdown.ts';
import {
  currentPosition,
  loadPosition,
  type ReadingPosition,
  restorePosition,
  savePosition,
} from '../../reading/reading-position.ts';

export type ReadingPositions = ReturnType<typeof useReadingPositions>;

/** Returns the reading positions in this tab's conversations, and in the one stored under `key` before a reload. */
export function useReadingPositions(key: string) {
  const [stored] = useState(() => loadPosition(deviceStorage('sessionStorage'), key));
  const positions = useRef(new Map<string, ReadingPosition>(stored && [[stored.id, stored]]));
  const positionToRestore = useCallback((id: string) => positions.current.get(id), []);
  return { key, positions, positionToRestore };
}

/** Restores the reading position when the user returns to a conversation, unless they opened a passage of it. */
export function useReadingPosition(
  { key, positions, positionToRestore }: ReadingPositions,
  id: string,
  hasPassage: boolean,
): void {
  const shouldRestore = useRef(!hasPassage);
  useLayoutEffect(() => {
    const stored = positions.current;
    const position = shouldRestore.current ? positionToRestore(id) : undefined;
    const cancel = position && restorePosition(position, loadMarkdown());
    const save = () => savePosition(deviceStorage('sessionStorage'), key, currentPosition(id, position));
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      cancel?.();
      const last = currentPosition(id, position);
      if (last) stored.set(id, last);
    };
  }, [key, positions, positionToRestore, id]);
}
