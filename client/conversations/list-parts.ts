import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { Period } from './by-day.ts';
import type { Found } from './conversations.ts';

/** A few of the entries of a list, which are drawn and laid out together. */
export type ListPart = {
  key: string;
  /** How the time of its entries is told: in a search they are of any time. */
  period: Period | 'any';
  /** A moment of the period. */
  moment: number;
  /** Whether the heading of the period stands above it. */
  hasHeading: boolean;
  entries: readonly ConversationEntry[];
  /** What a search has found, by the conversation's id. */
  found?: ReadonlyMap<string, Found> | undefined;
};

const mostEntries = 100;

/** The parts of a group of entries, which is known as `key`. */
export function partsOf(
  { key, entries, ...group }: Omit<ListPart, 'hasHeading'>,
  isUnderHeading: boolean,
): readonly ListPart[] {
  const parts: ListPart[] = [];
  for (let start = 0; start < entries.length; start += mostEntries) {
    parts.push({
      ...group,
      key: `${key}:${start}`,
      hasHeading: isUnderHeading && start === 0,
      entries: entries.slice(start, start + mostEntries),
    });
  }
  return parts;
}
