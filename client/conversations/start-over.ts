import type { Conversation } from '../chat/conversation-interface.ts';
import { unsent } from '../chat/draft.ts';
import type { Transcript } from '../chat/transcript.ts';
import { titleOf } from '../device/conversation-records.ts';
import type { UndoOffer } from './undo.ts';

type StartOverParts = { conversation: Conversation; transcript: Transcript; undoOffer: Pick<UndoOffer, 'offer'> };

/**
 * Empties a conversation, which stops its running reply, and offers to undo that for as long as the page is open. Text that was
 * typed and not sent stays in the message field.
 */
export function startOver({ conversation, transcript, undoOffer }: StartOverParts): void {
  conversation.stop();
  const { conversationId, tree, turns } = conversation.getState();
  const typed = unsent(turns, conversation.getState().draft);
  conversation.clear();
  conversation.setDraft(typed);

  undoOffer.offer({
    title: titleOf(turns[0]?.question ?? ''),
    undo() {
      // A question that is on its way to the service goes back into the message field.
      conversation.stop();
      transcript.saveTurns({ conversationId, ...tree });
      conversation.takeIn();
    },
  });
}
