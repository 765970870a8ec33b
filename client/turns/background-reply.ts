import { createStore } from '../chat/store.ts';

/** `notSent` means that no turn was sent: the service refused the question, or another tab held the turn lock. */
export type BackgroundResult = 'finished' | 'failed' | 'stopped' | 'notSent';

/** The state that the title of a hidden tab shows. Null if it has none, or if the tab is visible. */
export type BackgroundMark = 'running' | 'finished' | 'failed' | null;

export type BackgroundReply = ReturnType<typeof createBackgroundReply>;

/**
 * Counts the turns of a page and derives its mark while it is hidden. Calls `onFinished` when a reply finishes in a hidden page.
 */
export function createBackgroundReply(onFinished: () => void) {
  const { getState, subscribe, update } = createStore<{ mark: BackgroundMark }>({ mark: null });
  let running = 0;
  let isHidden = false;
  let unseenResult: BackgroundMark = null;

  function updateMark(): void {
    const mark = isHidden ? (unseenResult ?? (running > 0 ? 'running' : null)) : null;
    if (mark !== getState().mark) update({ mark });
  }

  return {
    getState,
    subscribe,

    start(): void {
      running += 1;
      updateMark();
    },

    end(result: BackgroundResult): void {
      running -= 1;
      if (isHidden && (result === 'finished' || result === 'failed')) unseenResult = result;
      updateMark();
      if (isHidden && result === 'finished') onFinished();
    },

    setHidden(hidden: boolean): void {
      isHidden = hidden;
      if (!hidden) unseenResult = null;
      updateMark();
    },
  };
}
