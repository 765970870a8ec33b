import { useMutation, useMutationState } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { turnMutation, turnsKey } from './turn-mutation.ts';

export type AskTurn = ReturnType<typeof useTurn>;

/** The ways to ask in `conversation`, which is known as `id`: the page asks by these and not by the conversation's own. */
export function useTurn(id: string, conversation: Conversation) {
  const { mutate } = useMutation(turnMutation(id));
  return useMemo(
    () => ({
      send: (question: string) => mutate(() => conversation.send(question)),
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
