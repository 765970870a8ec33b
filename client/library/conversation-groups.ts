import type { ConversationEntry } from '../device/conversation-records.ts';
import type { SearchResult } from './search-conversations.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The heading under which an entry is listed. `month` is one calendar month. */
type Period = 'today' | 'yesterday' | 'week' | 'month';

type DayGroup<Entry> = {
  /** A stable key: 'today', 'yesterday', 'week', or a month such as '2026-11'. */
  key: string;
  period: Period;
  /** A time within the period, in milliseconds since the epoch, from which the month's name is formatted. */
  moment: number;
  entries: readonly Entry[];
};

/**
 * Groups `entries`, the latest first, by their last activity: today, yesterday, the seven days before today, then by month. Days
 * begin at midnight in `timeZone`. A time after `now`, from another device's clock, counts as today.
 */
export function groupByDay<Entry extends { lastActiveAt: number }>(
  entries: readonly Entry[],
  now: number,
  timeZone: string,
): readonly DayGroup<Entry>[] {
  const calendar = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const today = dayNumber(dateOf(calendar, now));
  const groups = new Map<string, DayGroup<Entry> & { entries: Entry[] }>();
  for (const entry of entries) {
    const date = dateOf(calendar, entry.lastActiveAt);
    const period = periodOf(today - dayNumber(date));
    const key = period === 'month' ? date.slice(0, -'-dd'.length) : period;
    const group = groups.get(key) ?? { key, period, moment: entry.lastActiveAt, entries: [] };
    group.entries.push(entry);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Returns a date such as '2026-11-22'. No locale puts the parts in this order in every browser. */
function dateOf(calendar: Intl.DateTimeFormat, moment: number): string {
  const parts = calendar.formatToParts(moment).map(({ type, value }) => [type, value]);
  const { year, month, day } = Object.fromEntries(parts);
  return `${year}-${month}-${day}`;
}

function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00Z`) / dayMilliseconds;
}

function periodOf(daysAgo: number): Period {
  if (daysAgo <= 0) return 'today';
  if (daysAgo === 1) return 'yesterday';
  return daysAgo <= 7 ? 'week' : 'month';
}

export type ConversationGroup = {
  key: string;
  /** Search results are not grouped by time, so `found` has no heading. */
  period: Period | 'pinned' | 'found';
  moment: number;
  hasHeading: boolean;
  entries: readonly ConversationEntry[];
  results?: ReadonlyMap<string, SearchResult> | undefined;
};

const maxGroupEntries = 100;

export function splitGroup(
  { key, entries, ...group }: Omit<ConversationGroup, 'hasHeading'>,
  isUnderHeading: boolean,
): readonly ConversationGroup[] {
  const groups: ConversationGroup[] = [];
  for (let start = 0; start < entries.length; start += maxGroupEntries) {
    groups.push({
      ...group,
      key: `${key}:${start}`,
      hasHeading: isUnderHeading && start === 0,
      entries: entries.slice(start, start + maxGroupEntries),
    });
  }
  return groups;
}
