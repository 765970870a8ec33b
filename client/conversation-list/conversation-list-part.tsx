import { memo } from 'react';
import type { useFormatter, useTranslations } from 'use-intl/react';
import type { ListPart } from '../conversations/list-parts.ts';
import { ConversationListEntry, type EntryActs } from './conversation-list-entry.tsx';

type PartProps = {
  part: ListPart;
  /** The open conversation, where it is one of these. */
  openId: string | undefined;
  /** The entry to which Tab leads, where it is one of these. */
  tabStopId: string | undefined;
  running: readonly string[];
  acts: EntryActs;
  say: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

/** About what an entry takes, before it is laid out. */
const entryRem = 3.375;

/** A part of the list, below its heading where it is the first one of its days. */
export const ConversationListPart = memo(function ConversationListPart(props: PartProps) {
  const { part, openId, tabStopId, running, acts, say, format } = props;
  const { period, moment, hasHeading, entries, found } = part;
  const heading =
    period === 'month' || period === 'any' ? format.dateTime(moment, { month: 'long', year: 'numeric' }) : say(period);
  return (
    <>
      {hasHeading && <h2 className="list-day">{heading}</h2>}
      <ul style={{ containIntrinsicBlockSize: `auto ${entries.length * entryRem}rem` }}>
        {entries.map((entry) => (
          <ConversationListEntry
            key={entry.id}
            entry={entry}
            found={found?.get(entry.id)}
            period={period}
            isOpen={entry.id === openId}
            isRunning={running.includes(entry.id)}
            isTabStop={entry.id === tabStopId}
            acts={acts}
            say={say}
            format={format}
          />
        ))}
      </ul>
    </>
  );
});
