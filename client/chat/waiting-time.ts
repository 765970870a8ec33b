import type { Clock } from './clock.ts';
import type { Conversation } from './conversation.ts';
import { createStore } from './store.ts';

/** How long the person has been waiting for the running turn. */
export type WaitingState = {
  /** Whole seconds since the question was asked; null in the first few, and while no turn runs. */
  seconds: number | null;
  /** What takes longer than usual: the first words of a reply, or the next ones after some. Null where nothing does. */
  delay: 'reply' | 'more' | null;
};

export type WaitingTime = ReturnType<typeof createWaitingTime>;

/** A reply that begins sooner than this needs no clock. */
const shortWaitSeconds = 3;

/** After so long without anything new, a reply takes longer than usual. */
const usualSilenceSeconds = 15;

const nothing: WaitingState = { seconds: null, delay: null };

/** Follows `conversation` from now on, and counts the seconds of its turns for as long as somebody watches. */
export function createWaitingTime(conversation: Pick<Conversation, 'getState' | 'subscribe'>, clock: Clock) {
  const { getState, subscribe, update } = createStore<WaitingState>(nothing);
  let watchers = 0;
  let askedAt: number | null = null;
  let newsAt = 0;
  let news: unknown;
  let callOff = () => {};

  /** What changes whenever something has happened: an attempt begins or fails, or more of the reply is there. */
  function latestNews(): unknown {
    const { phase, turns } = conversation.getState();
    return phase.name === 'streaming' ? turns.at(-1)?.reply : phase;
  }

  function follow(): void {
    if (conversation.getState().phase.name === 'idle') {
      askedAt = null;
      news = undefined;
      count();
      return;
    }
    const latest = latestNews();
    const isNews = latest !== news;
    news = latest;
    if (isNews) newsAt = clock.now();
    if (askedAt === null) {
      askedAt = clock.now();
      tick();
    } else if (isNews && getState().delay !== null) count();
  }

  /** Counts now, and every second while a turn runs and somebody watches. */
  function tick(): void {
    callOff();
    count();
    if (askedAt !== null && watchers > 0) callOff = clock.after(1000, tick);
  }

  function count(): void {
    const { seconds, delay } = counted();
    if (seconds !== getState().seconds || delay !== getState().delay) update({ seconds, delay });
  }

  function counted(): WaitingState {
    if (askedAt === null) return nothing;
    const { name } = conversation.getState().phase;
    const seconds = Math.floor((clock.now() - askedAt) / 1000);
    const isSilent = clock.now() - newsAt >= usualSilenceSeconds * 1000;
    const awaited = name === 'streaming' ? 'more' : 'reply';
    // The wait for another attempt says itself when it is over.
    const delay = isSilent && name !== 'retrying' ? awaited : null;
    return { seconds: seconds < shortWaitSeconds ? null : seconds, delay };
  }

  conversation.subscribe(follow);
  follow();

  return {
    getState,

    /** Calls `listener` after every change until the returned function is called. */
    subscribe(listener: () => void): () => void {
      const unsubscribe = subscribe(listener);
      watchers += 1;
      if (watchers === 1) tick();
      return () => {
        unsubscribe();
        watchers -= 1;
        if (watchers === 0) callOff();
      };
    },
  };
}
