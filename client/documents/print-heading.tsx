import { useFormatter } from 'use-intl/react';
import type { Turn } from '../chat/turn.ts';
import { titleOf } from '../device/conversation-records.ts';

/** What a printed conversation begins with. On the screen it is not there, for nobody. */
export function PrintHeading({ turns }: { turns: readonly Turn[] }) {
  const format = useFormatter();
  return (
    <div className="print-heading">
      <p className="print-title" dir="auto">
        {titleOf(turns[0]?.question ?? '')}
      </p>
      <p>{format.dateTime(turns.at(-1)?.askedAt ?? Date.now(), { dateStyle: 'long' })}</p>
    </div>
  );
}
