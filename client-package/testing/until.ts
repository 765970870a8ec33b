import type { Conversation } from '../../client/chat/conversation-interface.ts';
import type { ConversationState } from '../../client/chat/conversation-state.ts';
import type { Retrying } from '../../client/chat/send-turn.ts';

type Watched = Pick<Conversation, 'getState' | 'subscribe'>;

/** Resolves with the first state for which `holds` is true, which can be the current one. */
export function until<State extends ConversationState>(
  conversation: Watched,
  holds: (state: ConversationState) => state is State,
): Promise<State>;
export function until(conversation: Watched, holds: (state: ConversationState) => boolean): Promise<ConversationState>;
export function until(
  { getState, subscribe }: Watched,
  holds: (state: ConversationState) => boolean,
): Promise<ConversationState> {
  return new Promise((resolve) => {
    const unsubscribe = subscribe(check);
    check();
    function check() {
      if (!holds(getState())) return;
      unsubscribe();
      resolve(getState());
    }
  });
}

export const isIdle = ({ phase }: ConversationState) => phase.name === 'idle';

export const isRetrying = (state: ConversationState): state is ConversationState & { phase: Retrying } =>
  state.phase.name === 'retrying';
