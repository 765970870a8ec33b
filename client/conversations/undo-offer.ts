import type { Clock } from '../chat/clock.ts';
import { createStore } from '../chat/store.ts';
import { type Countdown, createCountdown } from './countdown.ts';

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

/** Something that can be taken back, and for how long. */
type Standing = { undoable: Undoable; countdown: Countdown };

/**
 * Offers to take back what was done last, for `offerSeconds`; then what was done before that, for the rest of its own time.
 * Everything stays for as long as the offer is held: somebody is at it, by pointer or keyboard.
 */
export function createUndoOffer(clock: Clock) {
  const { getState, subscribe, update } = createStore<{ offered: Undoable | null }>({ offered: null });
  /** What can be taken back, the latest last. */
  let standing: readonly Standing[] = [];
  let isHeld = false;
  let callOffStay = () => {};

  function letStand(latest: readonly Standing[]): void {
    standing = latest;
    if (latest.length === 0) letGo();
    update({ offered: latest.at(-1)?.undoable ?? null });
  }

  function end(ended: Standing): void {
    ended.countdown.pause();
    letStand(standing.filter((one) => one !== ended));
  }

  function withdraw(): void {
    const latest = standing.at(-1);
    if (latest) end(latest);
  }

  function letGo(): void {
    isHeld = false;
    callOffStay();
  }

  function makeStay(): void {
    for (const { undoable } of standing) undoable.stay?.();
  }

  /** For as long as somebody is at it. */
  function stay(): void {
    makeStay();
    callOffStay = clock.after(stayMilliseconds, stay);
  }

  return {
    getState,
    subscribe,

    /** Offers no more to take back what is offered. What was done before that is offered again. */
    withdraw,

    /** Nothing can be taken back any more. */
    withdrawAll(): void {
      for (const { countdown } of standing) countdown.pause();
      letStand([]);
    },

    /** Offers to take back what was just done, or was done a while ago and can be taken back for so long. */
    offer(undoable: Undoable, milliseconds = offerSeconds * 1000): void {
      const one: Standing = { undoable, countdown: createCountdown(clock, milliseconds, () => end(one)) };
      if (!isHeld) one.countdown.run();
      letStand([...standing, one]);
    },

    /** Takes it back, if something is offered. */
    undo(): void {
      const { offered } = getState();
      withdraw();
      offered?.undo();
    },

    /** Somebody is at the offer: it stays. */
    hold(): void {
      if (isHeld || standing.length === 0) return;
      isHeld = true;
      for (const { countdown } of standing) countdown.pause();
      stay();
    },

    /** Nobody is at it any more: the rest of its time runs. */
    release(): void {
      if (!isHeld) return;
      letGo();
      makeStay();
      for (const { countdown } of standing) countdown.run();
    },
  };
}
