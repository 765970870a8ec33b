import { useFormatter } from 'use-intl/react';
import type { Turn } from '../chat/turn.ts';
import { titleOf } from '../device/conversation-title.ts';

/** Hidden on screen and from screen readers. Without a `title`, it shows the first question. */
export function PrintHeading({ title, turns }: { title: string | undefined; turns: readonly Turn[] }) {
  const format = useFormatter();
  return (
    <div className="print-heading">
      <p className="print-title" dir="auto">
        {title || titleOf(turns[0]?.question ?? '')}
      </p>
      <p>{format.dateTime(turns.at(-1)?.askedAt ?? Date.now(), { dateStyle: 'long' })}</p>
    </div>
  );
}
