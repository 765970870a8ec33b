import { createStore } from './store.ts';

/** The result of a turn, as a hidden tab reports it. `nothing`: no turn was sent. */
export type BackgroundResult = 'finished' | 'failed' | 'stopped' | 'nothing';

/** What a hidden tab reports. Null if there is nothing to report, or if the tab is visible. */
export type BackgroundMark = 'running' | 'finished' | 'failed' | null;

export type BackgroundReply = ReturnType<typeof createBackgroundReply>;

/** Counts the turns of a page, and derives what the page reports while it is hidden. `onFinished`: a reply has ended in a hidden page. */
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

    /** A turn has started. */
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

    /** The page was hidden, or is visible again. */
    see(hidden: boolean): void {
      isHidden = hidden;
      if (!hidden) unseen = null;
      settle();
    },
  };
}
