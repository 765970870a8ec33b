import { useMutation, useMutationState } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Draft } from '../chat/composer.ts';
import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import { turnMutation, turnsKey } from './turn-mutation.ts';

export type AskTurn = ReturnType<typeof useTurn>;

/** The ways to ask in `conversation`, which is known as `id`: the page asks by these and not by the conversation's own. */
export function useTurn(id: string, conversation: Conversation) {
  const { mutate } = useMutation(turnMutation(id));
  return useMemo(
    () => ({
      send: (question: string) => mutate(() => conversation.send(question)),
      askForRest: (question: string) => mutate(() => conversation.askForRest(question)),
      sendQueued: () => mutate(conversation.sendQueued),
      regenerate: () => mutate(conversation.regenerate),
      tryAgain: () => mutate(conversation.tryAgain),
    }),
    [mutate, conversation],
  );
}

/** The ids of the conversations on this page in which a turn is running. */
export function useRunningTurns(): string[] {
  return useMutationState({
    filters: { mutationKey: turnsKey, status: 'pending' },
    select: ({ options }) => String(options.mutationKey?.at(-1)),
  });
}

/** What a page shows of a conversation. A key in the message field changes nothing of it. */
export function useConversation({ getState, subscribe }: Conversation): ConversationState {
  return useSyncExternalStore(subscribe, getState);
}

/** What `select` takes of a conversation's draft. The component is drawn anew only where that has changed. */
export function useDraft<Selected>({ composer }: Conversation, select: (draft: Draft) => Selected): Selected {
  return useSyncExternalStore(composer.subscribe, () => select(composer.getState()));
}
