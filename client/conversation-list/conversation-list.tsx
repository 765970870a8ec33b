import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTimeZone, useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { directionOf } from '../controls/direction-of.ts';
import { Icon } from '../controls/icon.tsx';
import { Notice } from '../controls/notice.tsx';
import type { ConversationList as List } from '../conversations/conversation-list.ts';
import type { ConversationSearch } from '../conversations/conversation-search.ts';
import { groupByDay, type ListPart, partsOf } from '../conversations/list-parts.ts';
import type { Found } from '../conversations/search-conversations.ts';
import type { UndoOffer } from '../conversations/undo.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import { DownloadAll } from '../documents/download-all.tsx';
import { useRunningTurns } from '../turns/use-turn.ts';
import { messageFieldId } from '../ui/composer.tsx';
import { UndoToast } from '../ui/undo-toast.tsx';
import { ConversationListParts } from './conversation-list-parts.tsx';

export type ConversationListProps = {
  list: List;
  search: ConversationSearch<Found>;
  undoOffer: UndoOffer;
  openId: string;
  /** What makes the list wider and narrower, where it stands beside the conversation. */
  edge?: ReactNode;
  onNew: () => void;
  /** `found` where a search has led to it: then its passage is to be shown. */
  onOpen: (id: string, found?: Found) => void;
  onRemove: (entry: ConversationEntry) => void;
};

/** The person's conversations on this device: to go to, to find, to name and to delete. */
export function ConversationList(props: ConversationListProps) {
  const { list, search, undoOffer, openId, edge, onNew, onOpen, onRemove } = props;
  const t = useTranslations('conversations');
  const { entries, isLoaded } = useSyncExternalStore(list.subscribe, list.getState);
  const { words, found } = useSyncExternalStore(search.subscribe, search.getState);
  const { pinned } = list;
  const { ids: pinnedIds } = useSyncExternalStore(pinned.subscribe, pinned.getState);
  const running = useRunningTurns();
  const [lastFocusedId, setLastFocusedId] = useState<string>();
  const nav = useRef<HTMLElement>(null);
  const searchField = useRef<HTMLInputElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list means another search
  useEffect(() => search.refresh(), [entries, search]);

  const acts = useMemo(
    () => ({
      open: onOpen,
      rename: list.rename,
      pin: pinned.toggle,
      remove(entry: ConversationEntry, isByKeyboard: boolean) {
        const heir = (nav.current && linkBeside(nav.current, entry.id)) ?? searchField.current;
        heir?.focus();
        onRemove(entry);
        // The search has gone with the last one, and it had the focus.
        if (list.getState().entries.length > 0) return;
        onNew();
        // On a touch screen too: a keyboard is in use there.
        if (isByKeyboard) setTimeout(() => document.getElementById(messageFieldId)?.focus({ preventScroll: true }));
      },
    }),
    [list, pinned, onOpen, onRemove, onNew],
  );

  const noteFocus = ({ target }: FocusEvent) => {
    const link = target.closest('.entry')?.querySelector<HTMLElement>('.entry-open');
    if (link) setLastFocusedId(link.dataset.id);
  };
  const goByArrow = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element)) return;
    const link = linkByKey(event.currentTarget, event.target, event.key);
    if (link === undefined) return;
    event.preventDefault();
    link.focus();
  };

  const parts = useListParts(entries, found, pinnedIds);
  const shownIds = parts.flatMap((part) => part.entries.map(({ id }) => id));
  const tabStopId = [lastFocusedId, openId].find((id) => id !== undefined && shownIds.includes(id)) ?? shownIds[0];
  const shown = { openId, running, pinned: pinnedIds, tabStopId, acts };
  return (
    <nav
      ref={nav}
      className="conversation-list"
      aria-label={t('label')}
      aria-busy={!isLoaded}
      onFocus={noteFocus}
      onKeyDown={goByArrow}
    >
      <Button onClick={onNew}>
        <Icon name="plus" />
        {t('create')}
      </Button>
      {entries.length > 0 && <ConversationListSearch ref={searchField} words={words} onWords={search.setWords} />}
      <p className={found === undefined ? 'visually-hidden' : 'aside'} role="status">
        {found && t('found', { count: found.length })}
      </p>
      <div className="list-scroll">
        <ConversationListNotices list={list} />
        <ConversationListParts parts={parts} {...shown} />
        {isLoaded && entries.length === 0 && <p className="aside">{t('empty')}</p>}
      </div>
      <UndoToast undoOffer={undoOffer} />
      {edge}
    </nav>
  );
}

/** Says that the device has no room left for conversations, or does not keep them at all. */
function ConversationListNotices({ list }: { list: List }) {
  const t = useTranslations('conversations');
  const { room, isPersistent } = useSyncExternalStore(list.subscribe, list.getState);
  if (!isPersistent) return <Notice tone="warning">{t('notLasting')}</Notice>;
  if (room === 'enough') return null;
  return (
    <Notice tone="warning">
      <p>{t('full')}</p>
      <DownloadAll list={list} />
    </Notice>
  );
}

type SearchProps = { ref: Ref<HTMLInputElement>; words: string; onWords: (words: string) => void };

/** Finds conversations by what was said in them. */
function ConversationListSearch({ ref, words, onWords }: SearchProps) {
  const t = useTranslations('conversations');
  const id = useId();
  return (
    <div>
      <label className="visually-hidden" htmlFor={id}>
        {t('search')}
      </label>
      <input
        ref={ref}
        id={id}
        type="search"
        placeholder={t('searchHint')}
        dir={directionOf(words)}
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
    </div>
  );
}

/** What the list shows: what was found, or else the pinned conversations, and all others by day. */
function useListParts(
  entries: readonly ConversationEntry[],
  found: readonly Found[] | undefined,
  pinned: readonly string[],
): readonly ListPart[] {
  const today = useToday();
  const timeZone = useTimeZone() ?? 'UTC';

  return useMemo(() => {
    if (found === undefined) {
      const atTop = entries.filter(({ id }) => pinned.includes(id));
      const byDay = entries.filter(({ id }) => !pinned.includes(id));
      return [
        ...partsOf({ key: 'pinned', period: 'pinned', moment: today, entries: atTop }, true),
        ...groupByDay(byDay, today, timeZone).flatMap((group) => partsOf(group, true)),
      ];
    }
    const byId = new Map(found.map((one) => [one.entry.id, one]));
    const foundEntries = found.map(({ entry }) => entry);
    return partsOf({ key: 'found', period: 'found', moment: today, entries: foundEntries, found: byId }, false);
  }, [entries, found, pinned, today, timeZone]);
}

/** A moment of the present day, in milliseconds since the epoch. Looked at anew when the person comes back to the page. */
function useToday(): number {
  const [moment, setMoment] = useState(() => Date.now());
  useEffect(() => {
    const look = () => setMoment((known) => (isSameDay(known, Date.now()) ? known : Date.now()));
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  return moment;
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** The links of a list's conversations, as they stand in `list`. */
function linksIn(list: Element): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('.entry-open')];
}

/** The link of the conversation after the one with `id`, else of the one before; undefined where it is the only one. */
function linkBeside(list: Element, id: string): HTMLElement | undefined {
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

/** The link to which `key` leads from an element of an entry in `list`; undefined where it leads nowhere. */
function linkByKey(list: Element, from: Element, key: string): HTMLElement | undefined {
  const step = steps[key];
  const own = from.closest('.entry')?.querySelector<HTMLElement>('.entry-open');
  if (step === undefined || !own) return undefined;
  const links = linksIn(list);
  return links[step(links.indexOf(own), links.length)];
}
