import { mutationOptions } from '@tanstack/react-query';
import * as z from 'zod/mini';
import type { BackgroundResult } from '../chat/background-reply.ts';
import { isRefusal, type Outcome } from '../chat/outcome.ts';
import { Refused } from '../session/session.ts';

/** Begins the key of every turn; the id of its conversation follows. */
export const turnsKey = ['turns'] as const;

/** One of a conversation's ways to ask. Resolves with how the turn came out, or with null where nothing was sent. */
export type Ask = () => Promise<Outcome | null>;

/**
 * A turn of the conversation `id`: pending from the moment that it is asked until it has ended, all attempts included.
 * It fails with `Refused` where the service does not talk to this person; every other ending is a result.
 */
export function turnMutation(id: string) {
  return mutationOptions({
    mutationKey: [...turnsKey, id],
    // The retry table runs within the turn: the waits of TanStack Query stand still while the page has no focus.
    retry: false,
    mutationFn: async (ask: Ask) => {
      const outcome = await ask();
      if (outcome !== null && isRefusal(outcome)) throw new Refused(outcome.sentence);
      return outcome;
    },
  });
}

/** The result of a turn mutation, as a hidden tab reports it. */
export function resultOf(outcome: unknown): BackgroundResult {
  const { data } = z.object({ type: z.string() }).safeParse(outcome);
  if (data === undefined) return 'nothing';
  if (data.type === 'done') return 'finished';
  return data.type === 'stopped' ? 'stopped' : 'failed';
}
