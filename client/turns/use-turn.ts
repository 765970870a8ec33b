import { mutationOptions, useMutation } from '@tanstack/react-query';
import { useMemo, useRef, useSyncExternalStore } from 'react';
import { isObject } from '../../shared/is-object.ts';
import type { Conversation } from '../chat/conversation-interface.ts';
import type { ConversationState, TurnsState } from '../chat/conversation-state.ts';
import type { Draft } from '../chat/draft.ts';
import { isRefusal, type TurnOutcome } from '../chat/outcome.ts';
import { SessionRejectedError, sessionQuery } from '../session/session.ts';

export const turnsKey = ['turns'] as const;

type TurnResult = TurnOutcome & { mayBeTruncated?: boolean };

type SendTurn = () => Promise<TurnResult | null>;

/**
 * Rejects with `SessionRejectedError` if the user must sign in or complete onboarding before a reply; other endings are results. After
 * a failed connection, reads the session, so that the whole page shows whether the service can be reached, and when it can be again.
 */
export const turnMutation = mutationOptions({
  mutationKey: turnsKey,
  // `sendTurn` applies the retry table itself, because TanStack Query pauses its own retries while the page has no focus.
  retry: false,
  mutationFn: async (sendTurn: SendTurn, { client }) => {
    const outcome = await sendTurn();
    if (outcome?.type === 'interrupted') void client.invalidateQueries(sessionQuery);
    if (isRefusal(outcome) && !outcome.receivedText) throw new SessionRejectedError(outcome.sentence);
    return outcome;
  },
});

export type TurnActions = ReturnType<typeof useTurnActions>;

/** Returns the methods of `conversation` that send a turn, as mutations, which report how the turn ended. */
export function useTurnActions(conversation: Conversation) {
  const { mutate } = useMutation(turnMutation);
  return useMemo(() => {
    const run = (sendTurn: () => Promise<TurnOutcome | null>) =>
      mutate(async () => {
        const outcome = await sendTurn();
        const last = conversation.getState().turns.at(-1);
        return outcome && { ...outcome, mayBeTruncated: last !== undefined && conversation.mayBeTruncated(last) };
      });
    return {
      send: (question: string) => run(() => conversation.send(question)),
      continueReply: (question: string) => run(() => conversation.continueReply(question)),
      sendQueued: () => run(conversation.sendQueued),
      regenerate: (turnId?: string) => run(() => conversation.regenerate(turnId)),
      tryAgain: () => run(conversation.tryAgain),
    };
  }, [mutate, conversation]);
}

/** Returns the state without the draft and the cancelled edit, so that typing does not render the component again. */
export function useTurnsState(conversation: Conversation): TurnsState {
  return useSelection(conversation, withoutDraft);
}

export function useDraft<Selected>(conversation: Conversation, select: (draft: Draft) => Selected): Selected {
  return useSelection(conversation, ({ draft }) => select(draft));
}

/** Renders the component again only if the selected value, or one of its properties, has changed. */
export function useSelection<Selected>(
  { getState, subscribe }: Conversation,
  select: (state: ConversationState) => Selected,
): Selected {
  const previous = useRef<{ selected: Selected }>(null);
  return useSyncExternalStore(subscribe, () => {
    const selected = select(getState());
    if (previous.current === null || !isShallowEqual(previous.current.selected, selected)) {
      previous.current = { selected };
    }
    return previous.current.selected;
  });
}

function withoutDraft({ draft, cancelledEdit, ...turnsState }: ConversationState): TurnsState {
  return turnsState;
}

function isShallowEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.is(one[key], other[key]));
}
