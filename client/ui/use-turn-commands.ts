import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { toClipboard } from '../controls/clipboard.ts';
import { useConversationDocument } from '../documents/use-conversation-document.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { messageFieldId } from './composer.tsx';

/** Offers what can be done in the open conversation as it stands. */
export function useTurnCommands(conversation: Conversation, state: ConversationState, turn: AskTurn): void {
  const { turns, phase, setAside } = state;
  const { markdown, html, download, print } = useConversationDocument(turns);
  const ending = turns.at(-1)?.ending;
  const isIdle = phase.name === 'idle' && ending !== undefined;
  const canAsk = isIdle && canSend(state);
  useOfferedCommands({
    goToMessage: () => document.getElementById(messageFieldId)?.focus(),
    ...(phase.name !== 'idle' && { stop: conversation.stop }),
    ...(canAsk && ending?.type === 'done' && { regenerate: turn.regenerate }),
    ...(canAsk && ending !== null && ending?.type !== 'done' && { tryAgain: turn.tryAgain }),
    ...(isIdle && setAside === null && { editLast: () => conversation.edit() }),
    ...(turns.length > 0 && {
      copyConversation: () => void toClipboard({ text: markdown(), html }).catch(() => undefined),
      downloadConversation: download,
      print,
    }),
  });
}
