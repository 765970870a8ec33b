import { createStore } from './store.ts';

/** How a turn came out, as a hidden tab tells it. `nothing`: no turn was sent. */
export type BackgroundResult = 'finished' | 'failed' | 'stopped' | 'nothing';

/** What a hidden tab has to tell. Null if there is nothing to tell, or if the tab is visible. */
export type BackgroundMark = 'running' | 'finished' | 'failed' | null;

export type BackgroundReply = ReturnType<typeof createBackgroundReply>;

/** Follows the turns of a page, and what to tell of them while nobody sees it. `onFinished`: a reply is there to be read. */
export function createBackgroundReply(onFinished: () => void) {
  const { getState, subscribe, update } = createStore<{ mark: BackgroundMark }>({ mark: null });
  let running = 0;
  let isHidden = false;
  let unseen: BackgroundMark = null;

  function settle(): void {
    const mark = isHidden ? (unseen ?? (running > 0 ? 'running' : null)) : null;
    if (mark !== getState().mark) update({ mark });
  }

  return {
    getState,
    subscribe,

    /** A turn has begun. */
    begin(): void {
      running += 1;
      settle();
    },

    /** A turn has ended. */
    end(result: BackgroundResult): void {
      running -= 1;
      if (isHidden && (result === 'finished' || result === 'failed')) unseen = result;
      settle();
      if (isHidden && result === 'finished') onFinished();
    },

    /** The page is hidden, or seen again. */
    see(hidden: boolean): void {
      isHidden = hidden;
      if (!hidden) unseen = null;
      settle();
    },
  };
}
