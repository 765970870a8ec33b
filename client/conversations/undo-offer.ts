import type { Clock } from '../chat/clock.ts';
import { createStore } from '../chat/store.ts';

/** Something that the person did and may take back. */
export type Undoable = {
  /** A conversation was deleted, or another one was begun in its place. */
  what: 'deleted' | 'startedOver';
  /** What the conversation is called. */
  title: string;
  undo: () => void;
  /** Makes sure that it can be taken back for another `offerSeconds`. */
  stay?: () => void;
};

export type UndoOffer = ReturnType<typeof createUndoOffer>;

/** How long something can be taken back, in seconds. */
export const offerSeconds = 30;

/** How often what is held is made sure to stay: well within `offerSeconds`. */
const stayMilliseconds = 10_000;

/**
 * Offers to take back the last thing that was done, for `offerSeconds`. The offer stays for as long as it is held: somebody
 * is at it, by pointer or keyboard.
 */
export function createUndoOffer(clock: Clock) {
  const { getState, subscribe, update } = createStore<{ offered: Undoable | null }>({ offered: null });
  let callOff = () => {};
  let remainingMilliseconds = 0;
  let runsSince: number | null = null;

  function run(): void {
    runsSince = clock.now();
    callOff = clock.after(remainingMilliseconds, withdraw);
  }

  function pause(): void {
    callOff();
    if (runsSince !== null) remainingMilliseconds -= clock.now() - runsSince;
    runsSince = null;
  }

  /** For as long as somebody is at it. */
  function stay(): void {
    getState().offered?.stay?.();
    callOff = clock.after(stayMilliseconds, stay);
  }

  function withdraw(): void {
    pause();
    update({ offered: null });
  }

  return {
    getState,
    subscribe,
    withdraw,

    /** Offers to take back what was just done, in the place of what was offered before. */
    offer(offered: Undoable): void {
      pause();
      remainingMilliseconds = offerSeconds * 1000;
      run();
      update({ offered });
    },

    /** Takes it back, if something is offered. */
    undo(): void {
      const { offered } = getState();
      withdraw();
      offered?.undo();
    },

    /** Somebody is at the offer: it stays. */
    hold(): void {
      pause();
      if (getState().offered !== null) stay();
    },

    /** Nobody is at it any more: the rest of its time runs. */
    release(): void {
      const { offered } = getState();
      if (offered === null || runsSince !== null) return;
      callOff();
      offered.stay?.();
      run();
    },
  };
}
