import { useState } from 'react';
import type { ConversationState } from '../chat/conversation-state.ts';

/** Tells screen readers where a reply begins and ends; its words in between would drown everything else. */
export function Announcement({ state }: { state: ConversationState }) {
  const last = state.turns.at(-1);
  const [watchedId, setWatchedId] = useState(last?.id);
  // Another version that is shown has not just ended.
  if (last !== undefined && last.ending === null && last.id !== watchedId) setWatchedId(last.id);
  return (
    <p className="visually-hidden" role="status">
      {announcement(state, last?.id === watchedId)}
    </p>
  );
}

function announcement({ phase, turns }: ConversationState, isWatched: boolean): string {
  if (phase.name === 'streaming') return 'Reply started';
  if (phase.name === 'retrying') return `${phase.reason} The question will be sent again in ${phase.waitSeconds} s.`;
  if (phase.name !== 'idle' || !isWatched) return '';
  const ending = turns.at(-1)?.ending?.type;
  if (ending === 'done') return 'Reply finished';
  return ending === 'stopped' ? 'Reply stopped' : '';
}
