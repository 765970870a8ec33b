import { useRef, useState } from 'react';
import { isCommandKey } from '../commands/command-key.ts';
import { useRegisterCommands } from '../commands/commands-provider.tsx';
import { useWindowEvent } from '../controls/use-window-event.ts';
import type { Passage } from '../conversations/search-conversations.ts';

/** The words of the find bar and the turn to start at; null starts at the first match in view. Each opening has its own `key`. */
type FindRequest = { key: number; words: string; turnId: string | null };

/** Returns the state of the find bar: the command, Ctrl+F and an opened search result open it, and Escape closes it. */
export function useFind(passage: Passage | null, hasTurns: boolean) {
  const [request, setRequest] = useState<FindRequest | null>(null);
  const [knownPassage, setKnownPassage] = useState<Passage | null>(null);
  const openedFrom = useRef<Element>(null);
  const key = (request?.key ?? 0) + 1;
  if (passage !== knownPassage) {
    setKnownPassage(passage);
    setRequest(
      passage !== null && !passage.isOnlyInTitle ? { key, words: passage.match, turnId: passage.turnId } : null,
    );
  }

  const find = () => {
    const { activeElement } = document;
    if (!isInFindBar(activeElement)) {
      openedFrom.current = activeElement;
      // Letters typed before the bar is loaded and focused must not be inserted into the message.
      if (activeElement instanceof HTMLElement) activeElement.blur();
    }
    setRequest({ key, words: document.getSelection()?.toString().trim() || (request?.words ?? ''), turnId: null });
  };
  const closeFind = () => {
    setRequest(null);
    const { current } = openedFrom;
    if (isInFindBar(document.activeElement) && current instanceof HTMLElement) current.focus({ preventScroll: true });
  };
  useRegisterCommands(hasTurns ? { find } : {});

  useWindowEvent(
    'keydown',
    (event) => {
      if (request !== null && event.key === 'Escape' && !isEscapeHandledElsewhere(event)) {
        // Escape must not also stop the running reply or cancel an edit.
        event.preventDefault();
        event.stopPropagation();
        closeFind();
      }
      if (!hasTurns || !isCommandKey(event, { letter: 'f' })) return;
      // A second Ctrl+F opens the browser's own search.
      if (document.querySelector('dialog[open]') !== null || isInFindBar(document.activeElement)) return;
      event.preventDefault();
      find();
    },
    { capture: true },
  );

  return { findRequest: request, closeFind };
}

function isInFindBar(element: Element | null): boolean {
  return element?.closest('.find-bar') != null;
}

/** Returns whether Escape first closes or clears something else: a dialog, a menu or a field with text. */
function isEscapeHandledElsewhere({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing || document.querySelector('dialog[open], :popover-open') !== null) return true;
  if (!(target instanceof Element) || isInFindBar(target)) return false;
  return target.closest('input:not(:placeholder-shown), select, [role="menu"], [role="listbox"]') !== null;
}
