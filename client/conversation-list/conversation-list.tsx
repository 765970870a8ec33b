import { type FocusEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import type { Found, ConversationList as List } from '../conversations/conversations.ts';
import type { Finding } from '../conversations/finding.ts';
import type { UndoOffer } from '../conversations/undo-offer.ts';
import type { ConversationEntry } from '../device/conversation-entry.ts';
import { useRunningTurns } from '../turns/use-turn.ts';
import { linkBeside, linkByKey } from '../ui/entry-links.ts';
import { UndoNotice } from '../ui/undo-notice.tsx';
import { ConversationListNotices } from './conversation-list-notices.tsx';
import { ConversationListParts } from './conversation-list-parts.tsx';
import { ConversationListSearch } from './conversation-list-search.tsx';
import { useListParts } from './use-list-parts.ts';

export type ConversationListProps = {
  list: List;
  finding: Finding<Found>;
  offer: UndoOffer;
  openId: string;
  onNew: () => void;
  /** `found` where a search has led to it: then its passage is to be shown. */
  onOpen: (id: string, found?: Found) => void;
  onRemove: (entry: ConversationEntry) => void;
};

/** The person's conversations on this device: to go to, to find, to name and to delete. */
export function ConversationList({ list, finding, offer, openId, onNew, onOpen, onRemove }: ConversationListProps) {
  const say = useTranslations('conversations');
  const { entries, isLoaded } = useSyncExternalStore(list.subscribe, list.getState);
  const { words, found } = useSyncExternalStore(finding.subscribe, finding.getState);
  const running = useRunningTurns();
  const [lastFocusedId, setLastFocusedId] = useState<string>();
  const nav = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list means another search
  useEffect(() => finding.lookAgain(), [entries, finding]);

  const acts = useMemo(
    () => ({
      open: onOpen,
      rename: list.rename,
      remove(entry: ConversationEntry) {
        const heir = (nav.current && linkBeside(nav.current, entry.id)) ?? search.current;
        heir?.focus();
        onRemove(entry);
        // The search has gone with the last one, and it had the focus.
        if (list.getState().entries.length === 0) onNew();
      },
    }),
    [list, onOpen, onRemove, onNew],
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

  const parts = useListParts(entries, found);
  const shownIds = found?.map(({ entry }) => entry.id) ?? entries.map(({ id }) => id);
  const tabStopId = [lastFocusedId, openId].find((id) => id !== undefined && shownIds.includes(id)) ?? shownIds[0];
  const shown = { openId, running, tabStopId, acts };
  return (
    <nav
      ref={nav}
      className="conversation-list"
      aria-label={say('label')}
      aria-busy={!isLoaded}
      onFocus={noteFocus}
      onKeyDown={goByArrow}
    >
      <Button onClick={onNew}>
        <Icon name="plus" />
        {say('create')}
      </Button>
      {entries.length > 0 && <ConversationListSearch ref={search} words={words} onWords={finding.setWords} />}
      <ConversationListNotices list={list} />
      <ConversationListParts parts={parts} {...shown} />
      <p className={found === undefined ? 'visually-hidden' : 'aside'} role="status">
        {found && say('found', { count: found.length })}
      </p>
      {isLoaded && entries.length === 0 && <p className="aside">{say('empty')}</p>}
      <UndoNotice offer={offer} />
    </nav>
  );
}
