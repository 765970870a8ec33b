import { memo } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import type { ListPart } from '../conversations/list-parts.ts';
import type { EntryActs } from './conversation-list-entry.tsx';
import { ConversationListPart } from './conversation-list-part.tsx';
import { useDrawnCount } from './use-drawn-count.ts';

type PartsProps = {
  parts: readonly ListPart[];
  openId: string;
  tabStopId: string | undefined;
  running: readonly string[];
  acts: EntryActs;
};

/** A list that may be very long, drawn part by part. A part is drawn anew only where something in it has changed. */
export const ConversationListParts = memo(function ConversationListParts(props: PartsProps) {
  const { parts, openId, tabStopId, running, acts } = props;
  const say = useTranslations('conversations');
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
            acts={acts}
            say={say}
            format={format}
          />
        );
      })}
    </div>
  );
});
