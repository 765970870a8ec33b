import type { Clock } from '../chat/clock.ts';
import { createStore } from '../chat/store.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import { type ConversationList, undoSeconds } from './conversation-list.ts';

/** Something that the person has deleted and may take back. */
export type Undoable = {
  /** What the deleted conversation is called. */
  title: string;
  undo: () => void;
  /** Makes sure that it can be taken back for another `undoSeconds`. */
  stay?: () => void;
};

export type UndoToasts = ReturnType<typeof createUndoToasts>;

/** How often what is paused is made sure to stay: well within `undoSeconds`. */
const stayMilliseconds = 10_000;

type Toast = { undoable: Undoable; countdown: Countdown };

/**
 * Offers to take back what was done last, for `undoSeconds`; then what was done before that, for the rest of its own time.
 * All of it stays while it is paused: somebody is at it, by pointer or keyboard.
 */
export function createUndoToasts(clock: Clock) {
  const { getState, subscribe, update } = createStore<{ shown: Undoable | null }>({ shown: null });
  /** What can be taken back, the latest last. */
  let toasts: readonly Toast[] = [];
  let isPaused = false;
  let callOffStay = () => {};

  function keep(latest: readonly Toast[]): void {
    toasts = latest;
    if (latest.length === 0) run();
    update({ shown: latest.at(-1)?.undoable ?? null });
  }

  function end(ended: Toast): void {
    ended.countdown.pause();
    keep(toasts.filter((one) => one !== ended));
  }

  function dismiss(): void {
    const latest = toasts.at(-1);
    if (latest) end(latest);
  }

  function run(): void {
    isPaused = false;
    callOffStay();
  }

  function makeStay(): void {
    for (const { undoable } of toasts) undoable.stay?.();
  }

  /** For as long as it is paused. */
  function stay(): void {
    makeStay();
    callOffStay = clock.after(stayMilliseconds, stay);
  }

  return {
    getState,
    subscribe,
    /** Takes away what is shown. What was done before that is shown again. */
    dismiss,

    /** Nothing can be taken back any more. */
    dismissAll(): void {
      for (const { countdown } of toasts) countdown.pause();
      keep([]);
    },

    /** Offers to take back what was just done, or was done a while ago and can be taken back for so long. */
    push(undoable: Undoable, milliseconds = undoSeconds * 1000): void {
      const toast: Toast = { undoable, countdown: createCountdown(clock, milliseconds, () => end(toast)) };
      if (!isPaused) toast.countdown.run();
      keep([...toasts, toast]);
    },

    /** Takes back what is shown, if anything is. */
    undo(): void {
      const { shown } = getState();
      dismiss();
      shown?.undo();
    },

    /** Somebody is at it: it stays. */
    pause(): void {
      if (isPaused || toasts.length === 0) return;
      isPaused = true;
      for (const { countdown } of toasts) countdown.pause();
      stay();
    },

    /** Nobody is at it any more: the rest of its time runs. */
    resume(): void {
      if (!isPaused) return;
      run();
      makeStay();
      for (const { countdown } of toasts) countdown.run();
    },
  };
}

type Countdown = ReturnType<typeof createCountdown>;

/** Calls `onEnd` when so much time has passed. It stands still until it runs, and can be paused. */
function createCountdown(clock: Clock, milliseconds: number, onEnd: () => void) {
  let remainingMilliseconds = milliseconds;
  let runsSince: number | null = null;
  let callOff = () => {};

  return {
    run(): void {
      if (runsSince !== null) return;
      runsSince = clock.now();
      callOff = clock.after(remainingMilliseconds, onEnd);
    },

    pause(): void {
      if (runsSince === null) return;
      callOff();
      remainingMilliseconds -= clock.now() - runsSince;
      runsSince = null;
    },
  };
}

type RemovingParts = {
  list: Pick<ConversationList, 'isKnown' | 'loaded' | 'onRemovingAll' | 'restorable' | 'restore' | 'stayRestorable'>;
  openConversations: { getState(): { id: string }; open(id: string): void; remove(id: string): void };
  toasts: Pick<UndoToasts, 'push' | 'dismissAll'>;
};

/**
 * Removes a conversation at once and offers to bring it back. Where it was the open one, another takes its place on the page;
 * brought back, it is open again.
 */
export function createRemoving({ list, openConversations, toasts }: RemovingParts) {
  list.onRemovingAll(toasts.dismissAll);

  function undoable({ id, name, title }: ConversationEntry, wasOpen: boolean): Undoable {
    return {
      title: name || title,
      undo() {
        list.restore(id);
        // Another tab may have removed all conversations for good.
        if (!list.isKnown(id)) return;
        // The browser's Back may have led to its address meanwhile.
        if (wasOpen || openConversations.getState().id === id) openConversations.open(id);
      },
      stay: () => list.stayRestorable(id),
    };
  }

  return {
    remove(entry: ConversationEntry): void {
      const wasOpen = openConversations.getState().id === entry.id;
      openConversations.remove(entry.id);
      toasts.push(undoable(entry, wasOpen));
    },

    /**
     * Offers to bring back what was removed before the page was opened, for the rest of its time. That may have been in another
     * tab: the person is the same one.
     */
    async offerAgain(): Promise<void> {
      await list.loaded;
      for (const { entry, milliseconds } of list.restorable()) toasts.push(undoable(entry, false), milliseconds);
    },
  };
}
