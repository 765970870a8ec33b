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
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { directionOf } from '../controls/direction-of.ts';
import { Icon } from '../controls/icon.tsx';
import { findAllFolded } from '../conversations/folded-text.ts';

type FindBarProps = {
  log: RefObject<HTMLElement | null>;
  /** What to look for at first, and in which turn to begin; where that is null, the person is asked for words. */
  words: string;
  turnId: string | null;
  onClose: () => void;
};

/** The names by which the styles know all hits, and the one that is gone to. */
const allName = 'hits';
const currentName = 'passage';

/** The page goes on changing while a reply is written, or a long conversation is drawn. */
const pauseMilliseconds = 250;

/** How long what shows the reply may take to come, generously. */
const maxLedMilliseconds = 5000;

/** Finds words in the conversation, and goes from one hit to the next, as the browser's own search does. */
export function FindBar({ log, words: firstWords, turnId, onClose }: FindBarProps) {
  const t = useTranslations('find');
  const [words, setWords] = useState(firstWords);
  const [{ ranges, index }, setHits] = useState<{ ranges: readonly Range[]; index: number }>({ ranges: [], index: 0 });
  const field = useRef<HTMLInputElement>(null);
  const bar = useRef<HTMLElement>(null);
  useFindHeight(bar);

  const look = useCallback(
    (first: (ranges: readonly Range[], index: number) => number) => {
      const found = log.current && words.trim() !== '' ? findPassages(log.current, words) : [];
      setHits((before) => ({ ranges: found, index: Math.max(0, first(found, before.index)) }));
    },
    [log, words],
  );

  // Begins at what was led to, or else with the first hit that is in view or below it.
  const firstOf = useCallback(
    (found: readonly Range[]) => {
      const led = turnId === null ? -1 : found.findIndex((range) => turnIdOf(range) === turnId);
      return led === -1 ? found.findIndex((range) => range.getBoundingClientRect().top >= 0) : led;
    },
    [turnId],
  );
  useEffect(() => look(firstOf), [look, firstOf]);

  // What was led to stays in the middle while it becomes Markdown, until the person does something else.
  const isLed = useRef(turnId !== null);
  useEffect(() => {
    const end = () => {
      isLed.current = false;
    };
    const timer = setTimeout(end, maxLedMilliseconds);
    const acts = ['wheel', 'keydown', 'pointerdown'] as const;
    for (const act of acts) window.addEventListener(act, end, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const act of acts) window.removeEventListener(act, end);
    };
  }, []);

  useEffect(() => {
    if (log.current === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changes = new MutationObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look(isLed.current ? firstOf : (_, before) => before);
      }, pauseMilliseconds);
    });
    changes.observe(log.current, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      clearTimeout(timer);
    };
  }, [log, look, firstOf]);

  useEffect(() => {
    CSS.highlights?.set(allName, new Highlight(...ranges));
    const current = ranges[index];
    if (current) CSS.highlights?.set(currentName, new Highlight(current));
    if (current && isLed.current) toMiddle(current);
    return () => {
      CSS.highlights?.delete(allName);
      CSS.highlights?.delete(currentName);
    };
  }, [ranges, index]);

  useEffect(() => {
    if (turnId !== null) return;
    // Not every browser moves the focus on `select`.
    field.current?.focus({ preventScroll: true });
    field.current?.select();
  }, [turnId]);

  const go = (step: number) => {
    if (ranges.length === 0) return;
    const next = (index + step + ranges.length) % ranges.length;
    setHits({ ranges, index: next });
    if (ranges[next]) toMiddle(ranges[next]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(1);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== 'Enter' || !event.shiftKey) return;
    event.preventDefault();
    go(-1);
  };
  const count = ranges.length;
  const step = (by: 1 | -1, way: 'previous' | 'next') => (
    <Button kind="action" title={t(way)} aria-label={t(way)} aria-disabled={count === 0} onClick={() => go(by)}>
      <Icon name={way === 'next' ? 'down' : 'up'} />
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
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={press}
        />
      </form>
      <p role="status">
        {words.trim() !== '' && (count === 0 ? t('nothing') : t('place', { number: index + 1, count }))}
      </p>
      {step(-1, 'previous')}
      {step(1, 'next')}
      <Button kind="action" title={t('close')} aria-label={t('close')} onClick={onClose}>
        <Icon name="cross" />
      </Button>
    </search>
  );
}

/** Sets the height of the bar as `--find-height` on the root, before the next paint: the part of the window to read in is lower. */
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

function toMiddle({ startContainer }: Range): void {
  startContainer.parentElement?.scrollIntoView({ block: 'center', behavior: 'instant' });
}

/** The places in `home` where `text` occurs as a search compares it, also across emphasis and the like, in their order. */
function findPassages(home: Element, text: string): Range[] {
  const walker = document.createTreeWalker(home, NodeFilter.SHOW_TEXT);
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
  // The places come in order, and so do the nodes.
  const placeOf = (position: number) => {
    while ((nodes[index + 1]?.start ?? Number.POSITIVE_INFINITY) <= position) index += 1;
    const found = nodes[index];
    return found && { node: found.node, offset: position - found.start };
  };
  for (const place of findAllFolded(texts.join(''), text)) {
    const start = placeOf(place.start);
    const end = placeOf(place.end - 1);
    if (!start || !end) break;
    const range = document.createRange();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    ranges.push(range);
  }
  return ranges;
}
