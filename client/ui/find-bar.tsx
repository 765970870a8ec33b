import '../styles/find.css';
import {
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { directionOf } from '../controls/direction-of.ts';
import { Icon } from '../controls/icon.tsx';
import { findAllFolded } from '../conversations/fold-text.ts';

export type FindBarProps = {
  log: RefObject<HTMLElement | null>;
  initialWords: string;
  /** The turn of the search result that opened the bar; null if the user opened it. */
  turnId: string | null;
  onClose: () => void;
};

const highlightNames = { all: 'hits', current: 'passage' } as const;

/** The conversation changes many times a second while a reply streams or a long conversation renders. */
const throttleMilliseconds = 250;

/** An upper bound for loading and rendering Markdown. */
const maxCenteringMilliseconds = 5000;

/** Finds words in the conversation and steps through the matches, like the browser's own search. */
export function FindBar({ log, initialWords, turnId, onClose }: FindBarProps) {
  const t = useTranslations('find');
  const [words, setWords] = useState(initialWords);
  const [{ ranges, index }, setHits] = useState<{ ranges: readonly Range[]; index: number }>({ ranges: [], index: 0 });
  const field = useRef<HTMLInputElement>(null);
  const bar = useRef<HTMLElement>(null);
  useFindHeight(bar);

  const search = useCallback(
    (chooseIndex: (ranges: readonly Range[], index: number) => number) => {
      const found = log.current && words.trim() !== '' ? findRanges(log.current, words) : [];
      setHits((before) => ({ ranges: found, index: Math.max(0, chooseIndex(found, before.index)) }));
    },
    [log, words],
  );

  // Starts at the search result, or else at the first match below the bar.
  const initialIndex = useCallback(
    (found: readonly Range[]) => {
      const inResult = turnId === null ? -1 : found.findIndex((range) => turnIdOf(range) === turnId);
      if (inResult !== -1) return inResult;
      const barBottom = bar.current?.getBoundingClientRect().bottom ?? 0;
      return found.findIndex((range) => range.getBoundingClientRect().top >= barBottom);
    },
    [turnId],
  );
  useEffect(() => search(initialIndex), [search, initialIndex]);

  // The search result stays centered while its Markdown renders, until the user acts.
  const isCentering = useRef(turnId !== null);
  useEffect(() => {
    const end = () => {
      isCentering.current = false;
    };
    const timer = setTimeout(end, maxCenteringMilliseconds);
    const actions = ['wheel', 'keydown', 'pointerdown'] as const;
    for (const action of actions) window.addEventListener(action, end, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const action of actions) window.removeEventListener(action, end);
    };
  }, []);

  // Typed words scroll to their first match if it is out of view. Changes of the conversation do not scroll.
  const areWordsNew = useRef(false);

  useEffect(() => {
    if (log.current === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changes = new MutationObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        search(isCentering.current ? initialIndex : (_, before) => before);
      }, throttleMilliseconds);
    });
    changes.observe(log.current, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      clearTimeout(timer);
    };
  }, [log, search, initialIndex]);

  useEffect(() => {
    CSS.highlights?.set(highlightNames.all, new Highlight(...ranges));
    const current = ranges[index];
    if (current) CSS.highlights?.set(highlightNames.current, new Highlight(current));
    if (current) unfold(current);
    if (current && isCentering.current) scrollToCenter(current);
    // The bar scrolls in the next frame, because the question of the match may unfold first.
    const frame = requestAnimationFrame(() => {
      if (areWordsNew.current && current && !isInView(current, bar.current)) scrollToCenter(current);
      areWordsNew.current = false;
    });
    return () => {
      cancelAnimationFrame(frame);
      CSS.highlights?.delete(highlightNames.all);
      CSS.highlights?.delete(highlightNames.current);
    };
  }, [ranges, index]);

  useEffect(() => {
    if (turnId !== null) return;
    // Not every browser moves the focus on `select`.
    field.current?.focus({ preventScroll: true });
    field.current?.select();
  }, [turnId]);

  const goBy = (step: number) => {
    if (ranges.length === 0) return;
    const next = (index + step + ranges.length) % ranges.length;
    setHits({ ranges, index: next });
    const found = ranges[next];
    if (found === undefined) return;
    flushSync(() => unfold(found));
    scrollToCenter(found);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    goBy(1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== 'Enter' || !event.shiftKey) return;
    event.preventDefault();
    goBy(-1);
  };
  const count = ranges.length;
  const stepButton = (by: 1 | -1, name: 'previous' | 'next') => (
    <Button kind="action" title={t(name)} aria-label={t(name)} aria-disabled={count === 0} onClick={() => goBy(by)}>
      <Icon name={name === 'next' ? 'down' : 'up'} />
    </Button>
  );
  return (
    <search ref={bar} className="find-bar">
      <form onSubmit={submit}>
        <input
          ref={field}
          type="text"
          aria-label={t('words')}
          placeholder={t('words')}
          autoComplete="off"
          dir={directionOf(words)}
          value={words}
          onChange={(event) => {
            areWordsNew.current = true;
            setWords(event.target.value);
          }}
          onKeyDown={onKeyDown}
        />
      </form>
      <p role="status">
        {words.trim() !== '' && (count === 0 ? t('noResults') : t('position', { number: index + 1, count }))}
      </p>
      {stepButton(-1, 'previous')}
      {stepButton(1, 'next')}
      <Button kind="action" title={t('close')} aria-label={t('close')} onClick={onClose}>
        <Icon name="cross" />
      </Button>
    </search>
  );
}

/** Sets `--find-height` on the root before the next paint, so that scrolling leaves room for the bar. */
function useFindHeight(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const { style } = document.documentElement;
    const measure = () => style.setProperty('--find-height', `${current.offsetHeight}px`);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(current);
    return () => {
      sizes.disconnect();
      style.removeProperty('--find-height');
    };
  }, [bar]);
}

function turnIdOf({ startContainer }: Range): string | null | undefined {
  return startContainer.parentElement?.closest('[data-turn]')?.getAttribute('data-turn');
}

/** Unfolds the question that the range is in, as browsers do for their own search. */
function unfold({ startContainer }: Range): void {
  startContainer.parentElement?.dispatchEvent(new Event('beforematch'));
}

/** Returns whether the range is between the bar and the message field. */
function isInView(range: Range, bar: Element | null): boolean {
  const { top, bottom } = range.getBoundingClientRect();
  const dockHeight = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--dock-height'));
  return top >= (bar?.getBoundingClientRect().bottom ?? 0) && bottom <= window.innerHeight - (dockHeight || 0);
}

function scrollToCenter(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { top, bottom } = range.getBoundingClientRect();
  const { innerHeight } = window;
  // The element is taller than the window, a long question for example.
  if (top < 0 || bottom > innerHeight) window.scrollBy({ top: (top + bottom - innerHeight) / 2, behavior: 'instant' });
}

/**
 * Returns the ranges in `root` that match `text` regardless of case and accents, in document order. A match can span several
 * elements.
 */
function findRanges(root: Element, text: string): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    // The source of a drawn diagram is hidden.
    return node instanceof HTMLElement && node.hidden ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  const nodes: { node: Node; start: number }[] = [];
  const texts: string[] = [];
  let length = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const data = node.nodeValue ?? '';
    nodes.push({ node, start: length });
    texts.push(data);
    length += data.length;
  }
  const ranges: Range[] = [];
  let index = 0;
  // Matches and nodes are both in order, so `index` only increases.
  const pointAt = (position: number) => {
    while ((nodes[index + 1]?.start ?? Number.POSITIVE_INFINITY) <= position) index += 1;
    const found = nodes[index];
    return found && { node: found.node, offset: position - found.start };
  };
  for (const match of findAllFolded(texts.join(''), text)) {
    const start = pointAt(match.start);
    const end = pointAt(match.end - 1);
    if (!start || !end) break;
    const range = document.createRange();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    ranges.push(range);
  }
  return ranges;
}
