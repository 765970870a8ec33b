import { useEffect } from 'react';
import { findFolded, foldText } from '../../library/folded-text.ts';
import type { Passage } from '../../library/search-conversations.ts';
import { textNodesIn } from '../../reading/anchor-finder.ts';

const highlightName = 'passage';

/** Scrolls to the passage, focuses its turn, and highlights the words until the user presses a key, clicks or taps. */
export function usePassage(passage: Passage | null): void {
  useEffect(() => {
    const turn = passage && document.querySelector<HTMLElement>(`[data-turn="${CSS.escape(passage.turnId)}"]`);
    if (!turn) return;
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: 'start', behavior: 'instant' });

    const ended = new AbortController();
    const { signal } = ended;
    let hasUserScrolled = false;
    const show = () => {
      const range = findRange(turn, passage.match);
      if (range === undefined) return;
      CSS.highlights?.set(highlightName, new Highlight(range));
      reveal(range);
      if (!hasUserScrolled) scrollToCenter(range);
    };
    show();
    // Markdown renders later, and replaces the text.
    const changes = new MutationObserver(show);
    changes.observe(turn, { childList: true, subtree: true, characterData: true });
    signal.addEventListener('abort', () => {
      changes.disconnect();
      CSS.highlights?.delete(highlightName);
    });
    const onUserScroll = () => {
      hasUserScrolled = true;
    };
    window.addEventListener('wheel', onUserScroll, { passive: true, signal });
    window.addEventListener('touchmove', onUserScroll, { passive: true, signal });
    const end = () => ended.abort();
    window.addEventListener('keydown', end, { signal });
    // Unlike `pointerdown`, it is not fired for a touch that scrolls.
    window.addEventListener('mousedown', end, { signal });
    return end;
  }, [passage]);
}

/** Ignores case and accents. A match can span several elements. */
function findRange(turn: Element, words: string): Range | undefined {
  for (const text of turn.querySelectorAll('.question, .reply')) {
    const nodes = textNodesIn(text);
    const found = findFolded(nodes.map(({ data }) => data).join(''), foldText(words));
    if (found === undefined) continue;
    const { start, end } = found;
    const range = document.createRange();
    let position = 0;
    for (const node of nodes) {
      const nodeEnd = position + node.length;
      if (start >= position && start < nodeEnd) range.setStart(node, start - position);
      if (end > position && end <= nodeEnd) range.setEnd(node, end - position);
      position = nodeEnd;
    }
    return range;
  }
  return undefined;
}

/** Reveals the range, in a folded question for example, as browsers do for their own search. */
function reveal({ startContainer }: Range): void {
  const hidden = startContainer.parentElement?.closest('[hidden="until-found"]');
  hidden?.dispatchEvent(new Event('beforematch'));
  hidden?.removeAttribute('hidden');
}

function scrollToCenter(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { top, bottom } = range.getBoundingClientRect();
  const { innerHeight } = window;
  // The passage is still out of view if its element, such as a long question, is taller than the window.
  if (top < 0 || bottom > innerHeight) window.scrollBy({ top: (top + bottom - innerHeight) / 2, behavior: 'instant' });
}
