import { memo, useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { type DayGroup, groupByDay } from '../chat/by-day.ts';
import type { ConversationEntry } from '../chat/conversation-entry.ts';
import { ConversationListEntry, type EntryActs } from './conversation-list-entry.tsx';
import { useDrawnCount } from './use-drawn-count.ts';
import { useToday } from './use-today.ts';

type DaysProps = {
  entries: readonly ConversationEntry[];
  openId: string;
  running: readonly string[];
  /** The entry to which Tab leads. */
  tabStopId: string | undefined;
  acts: EntryActs;
};

/** So many entries are laid out together, once they come near the window. */
const partCount = 100;

/** About what an entry takes, before it is laid out. */
const entryRem = 3.375;

/** The person's conversations by day, the latest first. */
export const ConversationListDays = memo(function ConversationListDays(props: DaysProps) {
  const { entries, openId, running, tabStopId, acts } = props;
  const say = useTranslations('conversations');
  const format = useFormatter();
  const today = useToday();
  const drawnCount = useDrawnCount(entries.length);
  const groups = useMemo(
    () => groupByDay(entries.slice(0, drawnCount), today, Intl.DateTimeFormat().resolvedOptions().timeZone),
    [entries, drawnCount, today],
  );

  const heading = ({ period, moment }: DayGroup<unknown>) =>
    period === 'month' ? format.dateTime(moment, { month: 'long', year: 'numeric' }) : say(period);

  return groups.map((group) => (
    <section key={group.key} className="list-days">
      <h2 className="list-day">{heading(group)}</h2>
      {partsOf(group.entries).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries move between the parts, which have no names of their own
        <ul key={index} style={{ containIntrinsicBlockSize: `auto ${part.length * entryRem}rem` }}>
          {part.map((entry) => (
            <ConversationListEntry
              key={entry.id}
              entry={entry}
              period={group.period}
              isOpen={entry.id === openId}
              isRunning={running.includes(entry.id)}
              isTabStop={entry.id === tabStopId}
              acts={acts}
              say={say}
              format={format}
            />
          ))}
        </ul>
      ))}
    </section>
  ));
});

function partsOf<Entry>(entries: readonly Entry[]): (readonly Entry[])[] {
  const parts: (readonly Entry[])[] = [];
  for (let start = 0; start < entries.length; start += partCount) parts.push(entries.slice(start, start + partCount));
  return parts;
}
