import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { conversationMarkdown } from './copy-conversation.ts';

/** What can be done about the last turn, and with the whole conversation, once it has ended. */
export function TurnActions({ conversation, state }: { conversation: Conversation; state: ConversationState }) {
  const last = state.turns.at(-1);
  const isEditing = state.setAside !== null;
  return (
    <div className="turn-actions">
      {!isEditing && last?.ending?.type === 'done' && (
        <Button kind="quiet" disabled={!canSend(state)} onClick={conversation.regenerate}>
          Regenerate
        </Button>
      )}
      {!isEditing && (
        <Button kind="quiet" onClick={conversation.edit}>
          Edit question
        </Button>
      )}
      <CopyButton label="Copy conversation" text={() => conversationMarkdown(state.turns)} />
    </div>
  );
}
