import { useFormatter, useTranslations } from 'use-intl/react';
import type { Found } from '../chat/conversations.ts';
import { ConversationListEntry, type EntryActs } from './conversation-list-entry.tsx';
import { useDrawnCount } from './use-drawn-count.ts';

type FoundProps = {
  found: readonly Found[];
  openId: string;
  running: readonly string[];
  /** The entry to which Tab leads. */
  tabStopId: string | undefined;
  acts: EntryActs;
};

/** The conversations that a search has found, each with the passage that has the words. */
export function ConversationListFound({ found, openId, running, tabStopId, acts }: FoundProps) {
  const say = useTranslations('conversations');
  const format = useFormatter();
  const drawnCount = useDrawnCount(found.length);
  return (
    <ul aria-label={say('results')}>
      {found.slice(0, drawnCount).map((one) => (
        <ConversationListEntry
          key={one.entry.id}
          entry={one.entry}
          found={one}
          period="any"
          isOpen={one.entry.id === openId}
          isRunning={running.includes(one.entry.id)}
          isTabStop={one.entry.id === tabStopId}
          acts={acts}
          say={say}
          format={format}
        />
      ))}
    </ul>
  );
}
