import type { Conversation } from '../../client/chat/conversation.ts';
import type { ConversationState } from '../../client/chat/conversation-state.ts';

/** Resolves with the first state, from now on, for which `holds` is true. */
export function until(
  { getState, subscribe }: Pick<Conversation, 'getState' | 'subscribe'>,
  holds: (state: ConversationState) => boolean,
): Promise<ConversationState> {
  return new Promise((resolve) => {
    const unsubscribe = subscribe(look);
    look();
    function look() {
      if (!holds(getState())) return;
      unsubscribe();
      resolve(getState());
    }
  });
}

/** Whether no turn is running. */
export const isIdle = ({ phase }: ConversationState) => phase.name === 'idle';

/** Whether a turn waits for its next attempt. */
export const isRetrying = ({ phase }: ConversationState) => phase.name === 'retrying';
