import type { ConversationEntry } from '../device/conversation-records.ts';
import type { Found } from './search-conversations.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The heading under which an entry stands. `month` is one whole month of the calendar. */
export type Period = 'today' | 'yesterday' | 'week' | 'month';

export type DayGroup<Entry> = {
  /** Stays the same while the group stays the same: 'today', 'yesterday', 'week', or the month as in '2026-11'. */
  key: string;
  period: Period;
  /** A moment of the period, in milliseconds since the epoch: what the name of a month is made of. */
  moment: number;
  entries: readonly Entry[];
};

/**
 * `entries`, the latest first, by the day on which something last happened in them: today, yesterday, the seven days before
 * today, then by month. Days begin where they do in `timeZone`, an IANA name. `now` is in milliseconds since the epoch; what
 * lies after it, by another device's clock, counts as today.
 */
export function groupByDay<Entry extends { lastActiveAt: number }>(
  entries: readonly Entry[],
  now: number,
  timeZone: string,
): readonly DayGroup<Entry>[] {
  const calendar = new Intl.DateTimeFormat('en-CA-u-ca-iso8601', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const today = dayNumber(calendar.format(now));
  const groups = new Map<string, DayGroup<Entry> & { entries: Entry[] }>();
  for (const entry of entries) {
    const date = calendar.format(entry.lastActiveAt);
    const period = periodOf(today - dayNumber(date));
    const key = period === 'month' ? date.slice(0, -'-dd'.length) : period;
    const group = groups.get(key) ?? { key, period, moment: entry.lastActiveAt, entries: [] };
    group.entries.push(entry);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The days from the epoch to a date like '2026-11-22'. */
function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00Z`) / dayMilliseconds;
}

function periodOf(daysAgo: number): Period {
  if (daysAgo <= 0) return 'today';
  if (daysAgo === 1) return 'yesterday';
  return daysAgo <= 7 ? 'week' : 'month';
}

/** A few of the entries of a list, which are drawn and laid out together. */
export type ListPart = {
  key: string;
  /** Under which heading it stands. What a search has found is of any time, and stands under none. */
  period: Period | 'pinned' | 'found';
  /** A moment of the period. */
  moment: number;
  /** Whether the heading of the period stands above it. */
  hasHeading: boolean;
  entries: readonly ConversationEntry[];
  /** What a search has found, by the conversation's id. */
  found?: ReadonlyMap<string, Found> | undefined;
};

const maxEntries = 100;

/** The parts of a group of entries, which is known as `key`. */
export function partsOf(
  { key, entries, ...group }: Omit<ListPart, 'hasHeading'>,
  isUnderHeading: boolean,
): readonly ListPart[] {
  const parts: ListPart[] = [];
  for (let start = 0; start < entries.length; start += maxEntries) {
    parts.push({
      ...group,
      key: `${key}:${start}`,
      hasHeading: isUnderHeading && start === 0,
      entries: entries.slice(start, start + maxEntries),
    });
  }
  return parts;
}
