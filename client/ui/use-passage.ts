import { useEffect } from 'react';
import type { Passage } from '../conversations/conversations.ts';
import { findPassage } from './find-passage.ts';

/** The name by which the styles know the marked passage. */
const highlightName = 'passage';

/** How long what shows the reply may take to come, generously. */
const longestWaitMilliseconds = 5_000;

/**
 * Goes to the passage that a search has led to: its turn gets the focus, and its words are marked and in the middle of the
 * window. A reply that becomes Markdown only now is looked through again, until the person does something else.
 */
export function usePassage(passage: Passage | null): void {
  useEffect(() => {
    if (passage === null) return;
    const turn = document.querySelector<HTMLElement>(`[data-turn="${CSS.escape(passage.turnId)}"]`);
    if (turn === null) return;
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: 'start', behavior: 'instant' });

    const mark = () => {
      const range = findPassage(turn, passage.match);
      if (range === undefined) return;
      CSS.highlights?.set(highlightName, new Highlight(range));
      range.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior: 'instant' });
    };
    const changes = new MutationObserver(mark);
    const end = () => changes.disconnect();
    const timer = setTimeout(end, longestWaitMilliseconds);
    const acts = ['wheel', 'keydown', 'pointerdown'] as const;
    for (const act of acts) window.addEventListener(act, end, { passive: true });
    changes.observe(turn, { childList: true, subtree: true, characterData: true });
    mark();

    return () => {
      end();
      clearTimeout(timer);
      for (const act of acts) window.removeEventListener(act, end);
      CSS.highlights?.delete(highlightName);
    };
  }, [passage]);
}
