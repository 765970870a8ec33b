import type { PublicConversation } from '../../client/chat/conversation-interface.ts';
import type { PublicConversationState } from '../../client/chat/conversation-state.ts';
import type { Retrying } from '../../client/chat/send-turn.ts';

type Watched = Pick<PublicConversation, 'getState' | 'subscribe'>;

/** Resolves with the first state for which `holds` is true, which can be the current one. */
export function until<State extends PublicConversationState>(
  conversation: Watched,
  holds: (state: PublicConversationState) => state is State,
): Promise<State>;
export function until(
  conversation: Watched,
  holds: (state: PublicConversationState) => boolean,
): Promise<PublicConversationState>;
export function until(
  { getState, subscribe }: Watched,
  holds: (state: PublicConversationState) => boolean,
): Promise<PublicConversationState> {
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

export const isIdle = ({ phase }: PublicConversationState) => phase.name === 'idle';

export const isRetrying = (state: PublicConversationState): state is PublicConversationState & { phase: Retrying } =>
  state.phase.name === 'retrying';
