import { type MouseEvent, memo, startTransition, useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { conversationAddress } from '../../shared/interface.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import type { ListPart } from '../conversations/list-parts.ts';
import type { Found } from '../conversations/search-conversations.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import { whenIdle } from '../reading/when-idle.ts';
import { ConversationNameField } from '../ui/conversation-name-field.tsx';

type PartsProps = {
  parts: readonly ListPart[];
  openId: string;
  tabStopId: string | undefined;
  running: readonly string[];
  pinned: readonly string[];
  acts: EntryActs;
};

/** A list that may be very long, drawn part by part. A part is drawn anew only where something in it has changed. */
export const ConversationListParts = memo(function ConversationListParts(props: PartsProps) {
  const { parts, openId, tabStopId, running, pinned, acts } = props;
  const t = useTranslations('conversations');
  const format = useFormatter();
  const drawnCount = useDrawnCount(parts.length);
  return (
    <div className="list-parts">
      {parts.slice(0, drawnCount).map((part) => {
        const own = (id: string | undefined) => (part.entries.some((entry) => entry.id === id) ? id : undefined);
        return (
          <ConversationListPart
            key={part.key}
            part={part}
            openId={own(openId)}
            tabStopId={own(tabStopId)}
            running={running}
            pinned={pinned}
            acts={acts}
            t={t}
            format={format}
          />
        );
      })}
    </div>
  );
});

type PartProps = {
  part: ListPart;
  /** The open conversation, where it is one of these. */
  openId: string | undefined;
  /** The entry to which Tab leads, where it is one of these. */
  tabStopId: string | undefined;
  running: readonly string[];
  pinned: readonly string[];
  acts: EntryActs;
  t: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

/** About what an entry takes, before it is laid out. */
const entryRem = 2.625;

/** A part of the list, below its heading where it is the first one of its days. */
const ConversationListPart = memo(function ConversationListPart(props: PartProps) {
  const { part, openId, tabStopId, running, pinned, acts, t, format } = props;
  const { period, moment, hasHeading, entries, found } = part;
  const heading = () => {
    if (period === 'found') return '';
    return period === 'month' ? format.dateTime(moment, { month: 'long', year: 'numeric' }) : t(period);
  };
  return (
    <>
      {hasHeading && <h2 className="list-day">{heading()}</h2>}
      <ul style={{ containIntrinsicBlockSize: `auto ${entries.length * entryRem}rem` }}>
        {entries.map((entry) => (
          <ConversationListEntry
            key={entry.id}
            entry={entry}
            found={found?.get(entry.id)}
            isPinned={pinned.includes(entry.id)}
            isOpen={entry.id === openId}
            isRunning={running.includes(entry.id)}
            isTabStop={entry.id === tabStopId}
            acts={acts}
            t={t}
            format={format}
          />
        ))}
      </ul>
    </>
  );
});

/**
 * How many of `total` parts of a long list to draw: the first one at once, then one more whenever the browser has nothing
 * better to do. In the end all of them are on the page, to be found, printed and read out.
 */
function useDrawnCount(total: number): number {
  const [count, setCount] = useState(1);
  useEffect(() => {
    if (count >= total) return;
    return whenIdle(() => startTransition(() => setCount((drawn) => drawn + 1)));
  }, [count, total]);
  return Math.min(count, total);
}

/** What can be done with a conversation of the list. */
type EntryActs = {
  open: (id: string, found?: Found) => void;
  rename: (id: string, name: string) => void;
  remove: (entry: ConversationEntry, isByKeyboard: boolean) => void;
  pin: (id: string) => void;
};

type EntryProps = {
  entry: ConversationEntry;
  isOpen: boolean;
  /** Whether a reply is being written in it. */
  isRunning: boolean;
  isPinned: boolean;
  /** Whether Tab leads to it. Of a list it leads to one; the arrow keys lead to the others. */
  isTabStop: boolean;
  found: Found | undefined;
  acts: EntryActs;
  t: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

/** One conversation of the list. There can be thousands: it is drawn anew only where it has changed. */
const ConversationListEntry = memo(function ConversationListEntry(props: EntryProps) {
  const { entry, isOpen, isRunning, isPinned, isTabStop, found, acts, t, format } = props;
  const [isRenaming, setIsRenaming] = useState(false);
  const [areActsShown, setAreActsShown] = useState(false);
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
        <ConversationNameField
          className="entry-name"
          name={title}
          onSave={(name) => {
            acts.rename(entry.id, name);
            setIsRenaming(false);
          }}
          onCancel={() => setIsRenaming(false)}
        >
          <Button type="submit">{t('save')}</Button>
        </ConversationNameField>
      </li>
    );
  }
  const tabIndex = isTabStop ? 0 : -1;
  const pinLabel = t(isPinned ? 'unpin' : 'pin', { title });
  return (
    <li className={isOpen ? 'entry entry-current' : 'entry'} data-acts={areActsShown}>
      <a
        className="entry-open"
        href={conversationAddress(entry.id)}
        data-id={entry.id}
        aria-current={isOpen ? 'page' : undefined}
        tabIndex={tabIndex}
        title={`${title}\n${format.dateTime(entry.lastActiveAt, { dateStyle: 'long', timeStyle: 'short' })}`}
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
        {isRunning && (
          <span className="entry-running">
            <span className="visually-hidden">{t('running')}</span>
          </span>
        )}
      </a>
      {/* For a finger: what else can be done would leave little room for the title. */}
      <span className="entry-more">
        <Button
          kind="quiet"
          aria-label={t('more', { title })}
          aria-expanded={areActsShown}
          tabIndex={tabIndex}
          onClick={() => setAreActsShown(!areActsShown)}
        >
          <Icon name="more" />
        </Button>
      </span>
      <Button
        kind="quiet"
        title={pinLabel}
        aria-label={pinLabel}
        aria-pressed={isPinned}
        tabIndex={tabIndex}
        onClick={() => acts.pin(entry.id)}
      >
        <Icon name="pin" />
      </Button>
      <Button
        ref={renameButton}
        kind="quiet"
        title={t('rename', { title })}
        aria-label={t('rename', { title })}
        tabIndex={tabIndex}
        onClick={() => setIsRenaming(true)}
      >
        <Icon name="pencil" />
      </Button>
      <Button
        kind="quiet"
        title={t('remove', { title })}
        aria-label={t('remove', { title })}
        tabIndex={tabIndex}
        onClick={({ detail }) => acts.remove(entry, detail === 0)}
      >
        <Icon name="bin" />
      </Button>
    </li>
  );
});

/** Whether a press is meant for this page: with a key held the browser opens another tab, say. */
function isPlainPress({ button, ctrlKey, metaKey, altKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !altKey && !shiftKey;
}
