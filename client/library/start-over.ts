import type { Conversation } from '../chat/conversation-interface.ts';
import { unsentText } from '../chat/draft.ts';
import type { Transcript } from '../chat/transcript.ts';
import { titleOf } from '../device/conversation-title.ts';
import type { UndoOffer } from './undo.ts';

type StartOverDependencies = {
  conversation: Conversation;
  transcript: Transcript;
  undoOffer: Pick<UndoOffer, 'offer'>;
};

/** Stops the running reply, clears the conversation and offers undo. Keeps the unsent text. */
export function startOver({ conversation, transcript, undoOffer }: StartOverDependencies): void {
  conversation.stop();
  const { conversationId, tree, turns } = conversation.getState();
  const draftText = unsentText(turns, conversation.getState().draft);
  conversation.clear();
  conversation.setDraft(draftText);

  undoOffer.offer({
    id: turns[0]?.id ?? '',
    title: titleOf(turns[0]?.question ?? ''),
    undo() {
      // `loadStored` has no effect while a turn runs.
      conversation.stop();
      transcript.saveTurns({ conversationId, ...tree });
      conversation.loadStored();
    },
  });
}
