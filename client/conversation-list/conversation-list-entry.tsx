import { type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import type { useFormatter, useTranslations } from 'use-intl/react';
import { conversationAddress } from '../../shared/interface.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import type { Period } from '../conversations/by-day.ts';
import type { Found } from '../conversations/conversations.ts';
import type { ConversationEntry } from '../device/conversation-entry.ts';
import { ConversationListName } from './conversation-list-name.tsx';

/** What can be done with a conversation of the list. */
export type EntryActs = {
  open: (id: string, found?: Found) => void;
  rename: (id: string, name: string) => void;
  remove: (entry: ConversationEntry) => void;
};

type EntryProps = {
  entry: ConversationEntry;
  /** How its time is told; a found one's with the year. */
  period: Period | 'any';
  isOpen: boolean;
  /** Whether a reply is being written in it. */
  isRunning: boolean;
  /** Whether Tab leads to it. Of a list it leads to one; the arrow keys lead to the others. */
  isTabStop: boolean;
  found: Found | undefined;
  acts: EntryActs;
  say: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

/** One conversation of the list. There can be thousands: it is drawn anew only where it has changed. */
export const ConversationListEntry = memo(function ConversationListEntry(props: EntryProps) {
  const { entry, period, isOpen, isRunning, isTabStop, found, acts, say, format } = props;
  const [isRenaming, setIsRenaming] = useState(false);
  const renameButton = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  const title = entry.name || entry.title;
  const passage = found?.passage;

  useEffect(() => {
    if (wasRenaming.current && !isRenaming) renameButton.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);

  if (isRenaming) {
    return (
      <li>
        <ConversationListName
          name={title}
          onName={(name) => {
            acts.rename(entry.id, name);
            setIsRenaming(false);
          }}
          onCancel={() => setIsRenaming(false)}
        />
      </li>
    );
  }
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <li className={isOpen ? 'entry entry-current' : 'entry'}>
      <a
        className="entry-open"
        href={conversationAddress(entry.id)}
        data-id={entry.id}
        aria-current={isOpen ? 'page' : undefined}
        tabIndex={tabIndex}
        onClick={(event) => {
          if (!isPlainPress(event)) return;
          event.preventDefault();
          acts.open(entry.id, found);
        }}
      >
        <span className="entry-title" dir="auto">
          {title}
        </span>
        {passage && (
          <span className="entry-passage" dir="auto">
            {passage.before}
            <mark>{passage.match}</mark>
            {passage.after}
          </span>
        )}
        {isRunning ? (
          <span className="entry-time entry-running">{say('running')}</span>
        ) : (
          <time className="entry-time" dateTime={new Date(entry.lastActiveAt).toISOString()}>
            {format.dateTime(entry.lastActiveAt, timeFormats[period])}
          </time>
        )}
      </a>
      <Button
        ref={renameButton}
        kind="quiet"
        aria-label={say('rename', { title })}
        tabIndex={tabIndex}
        onClick={() => setIsRenaming(true)}
      >
        <Icon name="pencil" />
      </Button>
      <Button kind="quiet" aria-label={say('remove', { title })} tabIndex={tabIndex} onClick={() => acts.remove(entry)}>
        <Icon name="bin" />
      </Button>
    </li>
  );
});

const timeFormats = {
  today: { hour: 'numeric', minute: '2-digit' },
  yesterday: { hour: 'numeric', minute: '2-digit' },
  week: { weekday: 'long' },
  month: { day: 'numeric', month: 'short' },
  any: { day: 'numeric', month: 'short', year: 'numeric' },
} as const satisfies Record<Period | 'any', object>;

/** Whether a press is meant for this page: with a key held the browser opens another tab, say. */
function isPlainPress({ button, ctrlKey, metaKey, altKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !altKey && !shiftKey;
}
