import { useMemo } from 'react';
import { useTimeZone } from 'use-intl/react';
import { groupByDay } from '../conversations/by-day.ts';
import type { Found } from '../conversations/conversations.ts';
import { type ListPart, partsOf } from '../conversations/list-parts.ts';
import type { ConversationEntry } from '../device/conversation-entry.ts';
import { useToday } from './use-today.ts';

/** What the list shows: what was found, or else all conversations by day. */
export function useListParts(
  entries: readonly ConversationEntry[],
  found: readonly Found[] | undefined,
): readonly ListPart[] {
  const today = useToday();
  const timeZone = useTimeZone() ?? 'UTC';

  return useMemo(() => {
    if (found === undefined) {
      return groupByDay(entries, today, timeZone).flatMap((group) => partsOf(group, true));
    }
    const byId = new Map(found.map((one) => [one.entry.id, one]));
    const foundEntries = found.map(({ entry }) => entry);
    return partsOf({ key: 'found', period: 'any', moment: today, entries: foundEntries, found: byId }, false);
  }, [entries, found, today, timeZone]);
}
