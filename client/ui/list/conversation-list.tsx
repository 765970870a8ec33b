import '../../styles/conversation-list.css';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTimeZone, useTranslations } from 'use-intl/react';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import { Button } from '../../controls/button.tsx';
import { directionOf } from '../../controls/direction-of.ts';
import { Icon } from '../../controls/icon.tsx';
import type { ConversationEntry } from '../../device/conversation-records.ts';
import { type ConversationGroup, groupByDay, splitGroup } from '../../library/conversation-groups.ts';
import type { DebouncedSearch } from '../../library/debounced-search.ts';
import type { Library } from '../../library/library.ts';
import type { SearchResult } from '../../library/search-conversations.ts';
import type { UndoOffer } from '../../library/undo.ts';
import { messageFieldId } from '../page/composer.tsx';
import { UndoToast } from '../page/undo-toast.tsx';
import { GroupedConversations } from './grouped-conversations.tsx';

export type ConversationListProps = {
  library: Library;
  search: DebouncedSearch<SearchResult>;
  undoOffer: UndoOffer;
  openId: string;
  runningIds: readonly string[];
  onNew: () => void;
  /** `result` is the opened search result, whose passage is then shown. */
  onOpen: (id: string, result?: SearchResult) => void;
  onRemove: (entry: ConversationEntry) => void;
};

export function ConversationList(props: ConversationListProps) {
  const { library, search, undoOffer, openId, runningIds, onNew, onOpen, onRemove } = props;
  const t = useTranslations('conversations');
  const tCommand = useTranslations('commands');
  const { entries, isLoaded } = useSyncExternalStore(library.subscribe, library.getState);
  const { query, results } = useSyncExternalStore(search.subscribe, search.getState);
  const { pinned } = library;
  const { ids: pinnedIds } = useSyncExternalStore(pinned.subscribe, pinned.getState);
  const [lastFocusedId, setLastFocusedId] = useState<string>();
  const nav = useRef<HTMLElement>(null);
  const searchField = useRef<HTMLInputElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed list needs a new search
  useEffect(() => search.refresh(), [entries, search]);

  // The conversation that opens after a deletion can be far down in the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the open conversation scrolls the list
  useEffect(() => {
    nav.current?.querySelector('.entry-current')?.scrollIntoView({ block: 'nearest' });
  }, [openId]);

  const actions = useMemo(
    () => ({
      open: onOpen,
      rename: library.rename,
      togglePinned: pinned.toggle,
      remove(entry: ConversationEntry, isByKeyboard: boolean) {
        const nextFocus = (nav.current && neighborLink(nav.current, entry.id)) ?? searchField.current;
        nextFocus?.focus();
        onRemove(entry);
        // The search field, which had the focus, disappears with the last conversation.
        if (library.getState().entries.length > 0) return;
        onNew();
        // Focuses the message field even on a touch screen: the user pressed a key, so there is a keyboard.
        if (isByKeyboard) setTimeout(() => document.getElementById(messageFieldId)?.focus({ preventScroll: true }));
      },
    }),
    [library, pinned, onOpen, onRemove, onNew],
  );

  const rememberFocus = ({ target }: FocusEvent) => {
    const link = target.closest('.entry')?.querySelector<HTMLElement>('.entry-open');
    if (link) setLastFocusedId(link.dataset.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element)) return;
    if (event.target === searchField.current) {
      const firstLink = event.currentTarget.querySelector<HTMLElement>('.entry-open');
      if (firstLink === null) return;
      if (event.key === 'Enter' && results !== undefined) firstLink.click();
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      firstLink.focus();
      return;
    }
    const link = linkByKey(event.currentTarget, event.target, event.key);
    if (link === undefined) return;
    event.preventDefault();
    link.focus();
  };

  const groups = useConversationGroups(entries, results, pinnedIds);
  const visibleIds = groups.flatMap((group) => group.entries.map(({ id }) => id));
  const tabStopId = [lastFocusedId, openId].find((id) => id !== undefined && visibleIds.includes(id)) ?? visibleIds[0];
  const entryProps = { openId, runningIds, pinnedIds, tabStopId, actions };
  return (
    <nav
      ref={nav}
      className="conversation-list"
      aria-label={tCommand('conversations')}
      aria-busy={!isLoaded}
      onFocus={rememberFocus}
      onKeyDown={onKeyDown}
    >
      <div className="list-head">
        <button type="button" className="button button-quiet list-new" onClick={onNew}>
          <Icon name="plus" />
          {tCommand('newConversation')}
        </button>
        {entries.length > 0 && <ConversationListSearch ref={searchField} query={query} onChange={search.setQuery} />}
      </div>
      {/* Appears together with the search field, which would otherwise move it down. */}
      {isLoaded && (
        <div className="list-scroll">
          <p className={results === undefined ? 'visually-hidden' : 'list-day'} role="status">
            {results && t('found', { count: results.length })}
          </p>
          <GroupedConversations groups={groups} {...entryProps} />
          {entries.length === 0 && <p className="aside list-empty">{t('empty')}</p>}
        </div>
      )}
      <UndoToast undoOffer={undoOffer} />
    </nav>
  );
}

type SearchProps = { ref: RefObject<HTMLInputElement | null>; query: string; onChange: (query: string) => void };

function ConversationListSearch({ ref, query, onChange }: SearchProps) {
  const t = useTranslations('conversations');
  const tCommand = useTranslations('commands');
  const id = useId();
  return (
    <div className="list-search">
      <label htmlFor={id}>
        <Icon name="search" />
        <span className="visually-hidden">{tCommand('search')}</span>
      </label>
      <input
        ref={ref}
        id={id}
        type="search"
        placeholder={t('searchPlaceholder')}
        autoComplete="off"
        dir={directionOf(query)}
        value={query}
        onChange={(event) => onChange(event.target.value)}
      />
      {query !== '' && (
        <Button
          kind="action"
          title={t('clearSearch')}
          aria-label={t('clearSearch')}
          // Tab skips the button and moves on to the results, as with the browser's own clear button. The keyboard can clear the field.
          tabIndex={-1}
          onClick={() => {
            onChange('');
            ref.current?.focus();
          }}
        >
          <Icon name="cross" />
        </Button>
      )}
    </div>
  );
}

function useConversationGroups(
  entries: readonly ConversationEntry[],
  found: readonly SearchResult[] | undefined,
  pinnedIds: readonly string[],
): readonly ConversationGroup[] {
  const today = useToday();
  const timeZone = useTimeZone() ?? 'UTC';

  return useMemo(() => {
    if (found === undefined) {
      const atTop = entries.filter(({ id }) => pinnedIds.includes(id));
      const byDay = entries.filter(({ id }) => !pinnedIds.includes(id));
      return [
        ...splitGroup({ key: 'pinned', period: 'pinned', moment: today, entries: atTop }, true),
        ...groupByDay(byDay, today, timeZone).flatMap((day) => splitGroup(day, true)),
      ];
    }
    const byId = new Map(found.map((one) => [one.entry.id, one]));
    const foundEntries = found.map(({ entry }) => entry);
    return splitGroup({ key: 'found', period: 'found', moment: today, entries: foundEntries, results: byId }, false);
  }, [entries, found, pinnedIds, today, timeZone]);
}

/** Returns a moment of the current day in milliseconds since the epoch. It changes when the user returns on another day. */
function useToday(): number {
  const [moment, setMoment] = useState(() => Date.now());
  const update = () => setMoment((known) => (isSameDay(known, Date.now()) ? known : Date.now()));
  useWindowEvent('visibilitychange', update);
  useWindowEvent('focus', update);
  return moment;
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

function linksIn(list: Element | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.entry-open') ?? [])];
}

function neighborLink(list: Element, id: string): HTMLElement | undefined {
  const links = linksIn(list);
  const index = links.findIndex((link) => link.dataset.id === id);
  return links[index + 1] ?? links[index - 1];
}

const steps: Partial<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

function linkByKey(list: Element, from: Element, key: string): HTMLElement | undefined {
  const step = steps[key];
  const current = from.closest('.entry')?.querySelector<HTMLElement>('.entry-open');
  if (step === undefined || !current) return undefined;
  const links = linksIn(list);
  return links[step(links.indexOf(current), links.length)];
}
