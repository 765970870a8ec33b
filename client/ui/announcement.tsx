import type { ConversationState } from '../chat/conversation-state.ts';

/** Tells screen readers where a reply begins and ends; its words in between would drown everything else. */
export function Announcement({ state }: { state: ConversationState }) {
  return (
    <p className="visually-hidden" role="status">
      {announcement(state)}
    </p>
  );
}

function announcement({ phase, turns }: ConversationState): string {
  if (phase.name === 'streaming') return 'Reply started';
  if (phase.name === 'retrying') return `${phase.reason} The question will be sent again in ${phase.waitSeconds} s.`;
  if (phase.name !== 'idle') return '';
  const ending = turns.at(-1)?.ending?.type;
  if (ending === 'done') return 'Reply finished';
  return ending === 'stopped' ? 'Reply stopped' : '';
}
