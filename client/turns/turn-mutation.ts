import { mutationOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { isRefusal, type TurnOutcome } from '../chat/outcome.ts';
import { SessionRejectedError } from '../session/session.ts';
import type { BackgroundResult } from './background-reply.ts';

/** The first part of every turn's mutation key; the conversation's id follows. */
export const turnsKey = ['turns'] as const;

/** Sends a turn. Resolves with its outcome, or with null if nothing was sent. */
type SendTurn = () => Promise<TurnOutcome | null>;

/**
 * Returns the mutation for a turn of the conversation `id`: pending until it has ended, retries included. It rejects with
 * `SessionRejectedError` if the service rejects the session; every other ending is a result.
 */
export function turnMutation(id: string) {
  return mutationOptions({
    mutationKey: [...turnsKey, id],
    // The turn applies the retry table itself: TanStack Query pauses its own retries while the page has no focus.
    retry: false,
    mutationFn: async (sendTurn: SendTurn) => {
      const outcome = await sendTurn();
      if (isRefusal(outcome) && !outcome.receivedText) throw new SessionRejectedError(outcome.sentence);
      return outcome;
    },
  });
}

/** Returns the result of a turn mutation, as a hidden tab reports it. */
export function resultOf(outcome: unknown): BackgroundResult {
  const { data } = z.object({ type: z.string() }).safeParse(outcome);
  if (data === undefined) return 'notSent';
  if (data.type === 'done') return 'finished';
  return data.type === 'stopped' ? 'stopped' : 'failed';
}
