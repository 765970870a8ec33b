import * as z from 'zod/mini';
import { createStore } from '../chat/store.ts';

type UnseenResult = 'finished' | 'failed';

export type BackgroundState = {
  isHidden: boolean;
  /** How the last turn ended that has ended while the page is hidden; null if it was stopped, or if none has. */
  unseenResult: UnseenResult | null;
};

/** What the title of a hidden tab shows. */
export type BackgroundMark = 'running' | UnseenResult;

export type BackgroundReply = ReturnType<typeof createBackgroundReply>;

/** Tracks the turns that end while the page is hidden. Calls `onFinished` when a reply finishes then. */
export function createBackgroundReply(onFinished: () => void) {
  const { getState, subscribe, update } = createStore<BackgroundState>({ isHidden: false, unseenResult: null });

  return {
    getState,
    subscribe,

    /** `outcome` is the result of a turn mutation. */
    end(outcome: unknown): void {
      const unseenResult = resultOf(outcome);
      if (!getState().isHidden || unseenResult === null) return;
      update({ unseenResult });
      if (unseenResult === 'finished') onFinished();
    },

    setHidden(isHidden: boolean): void {
      update({ isHidden, ...(!isHidden && { unseenResult: null }) });
    },
  };
}

/** Null if the turn was stopped or not sent. */
function resultOf(outcome: unknown): UnseenResult | null {
  const { data } = z.object({ type: z.string() }).safeParse(outcome);
  if (data === undefined || data.type === 'stopped') return null;
  return data.type === 'done' ? 'finished' : 'failed';
}

/** Returns null for a visible tab, and if there is nothing to show. */
export function markOf({ isHidden, unseenResult }: BackgroundState, isRunning: boolean): BackgroundMark | null {
  if (!isHidden) return null;
  return unseenResult ?? (isRunning ? 'running' : null);
}
