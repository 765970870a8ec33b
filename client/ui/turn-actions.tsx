import { useTranslations } from 'use-intl/react';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import type { Turn } from '../chat/turn.ts';
import { Action } from '../controls/action.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { CopyReply } from '../documents/copy-reply.tsx';
import { useConversationDocument } from '../documents/use-conversation-document.ts';
import type { AskTurn } from '../turns/use-turn.ts';

type TurnActionsProps = { state: ConversationState; turn: AskTurn; last: Turn };

/** What can be done about the last turn, and with the whole conversation, once it has ended. */
export function TurnActions({ state, turn, last }: TurnActionsProps) {
  const say = useTranslations('conversationDocument');
  const sayTurn = useTranslations('conversation');
  const { markdown, html, download, print } = useConversationDocument(state.turns);
  const isEditing = state.setAside !== null;
  return (
    <div className="turn-actions">
      {last.reply !== '' && <CopyReply reply={last.reply} />}
      {!isEditing && last.ending?.type === 'done' && (
        <Action icon="again" label={sayTurn('regenerate')} disabled={!canSend(state)} onClick={turn.regenerate} />
      )}
      <CopyButton icon="transcript" label={say('copy')} text={markdown} html={html} />
      <span className="signs-only">
        <Action icon="download" label={say('download')} onClick={download} />
        <Action icon="print" label={say('print')} onClick={print} />
      </span>
    </div>
  );
}
