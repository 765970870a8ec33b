import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import type { Response } from 'express';
import { AppError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import { type Budgets, createNewIds } from '../database/turns.ts';
import type { LateWrites } from './late-writes.ts';

type Options = {
  turns: Database['turns'];
  budgets: Budgets;
  lateWrites: LateWrites;
  /** Does `work`, and does it `again` where the database has just gone: what `response` answers waits for it. */
  outlast: <T>(response: Response, work: (again: boolean) => Promise<T>) => Promise<T>;
};

type Question = {
  scope: { userId: string; orgId: string; requestId: string };
  conversationId: unknown;
  content: string;
  /** What it counts as until it is over, in tokens; undefined where there is no budget. */
  reserved: { id: string; tokens: number } | undefined;
  /** Aborted once nobody waits for the reply. */
  left: AbortSignal;
};

/** Stores a question, or finds that an earlier attempt at the same turn has; a repeated attempt takes over from that one. */
export function createTurnOpening({ turns, budgets, lateWrites, outlast }: Options) {
  return async (response: Response, { scope, conversationId, content, reserved, left }: Question) => {
    const newIds = createNewIds();
    const open = (repeatedly: boolean) =>
      outlast(response, async (again) => {
        // Each time: an answer that waited for the database as well comes before the next question.
        await lateWrites.catchUp({ ...scope, conversationId });
        // A person who has left may have sent the turn again and have the answer. This would then be a new turn.
        const opening = { ...scope, conversationId, content, newIds, again: again || repeatedly, left };
        return reserved === undefined
          ? await turns.open(opening)
          : await turns.openWithinBudgets(opening, { ...reserved, budgets });
      });

    /** Unless its reader has left. */
    const takesOver = async (attempt: string) => {
      await nextTurnOfTheLoop();
      return left.aborted || outlast(response, () => turns.takeOver(scope, attempt));
    };

    try {
      let opened = await open(false);
      while ('attempt' in opened && opened.repeated && !(await takesOver(opened.attempt))) opened = await open(true);
      return opened;
    } catch (error) {
      // Nobody is there to be told; it is no fault of ours.
      throw left.aborted && error === left.reason ? new AppError('UPSTREAM_OVERLOADED') : error;
    }
  };
}
