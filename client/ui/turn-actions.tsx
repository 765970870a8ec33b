import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import type { Turn } from '../chat/turn.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { Action } from './action.tsx';
import { CopyButton } from './copy-button.tsx';
import { conversationMarkdown } from './copy-conversation.ts';

type TurnActionsProps = { state: ConversationState; turn: AskTurn; last: Turn };

/** What can be done about the last turn, and with the whole conversation, once it has ended. */
export function TurnActions({ state, turn, last }: TurnActionsProps) {
  const isEditing = state.setAside !== null;
  return (
    <div className="turn-actions">
      {last.reply !== '' && <CopyButton label="Copy reply" text={last.reply} />}
      {!isEditing && last.ending?.type === 'done' && (
        <Action icon="again" label="Regenerate" disabled={!canSend(state)} onClick={turn.regenerate} />
      )}
      <CopyButton icon="transcript" label="Copy conversation" text={() => conversationMarkdown(state.turns)} />
    </div>
  );
}
