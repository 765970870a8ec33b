import type { TurnsState } from './conversation-state.ts';

/** How long the person has been waiting for the running turn. */
export type WaitingTime = {
  /** Whole seconds since the question was asked; null in the first few, and while no turn runs. */
  seconds: number | null;
  /** What takes longer than usual: the first words of a reply, or the next ones after some. Null where nothing does. */
  delay: 'reply' | 'more' | null;
};

/** A reply that begins sooner than this needs no clock. */
const shortWaitSeconds = 3;

/** After so long without anything new, a reply takes longer than usual. */
const usualSilenceSeconds = 15;

/** The waiting time at `now`, in milliseconds since the epoch. */
export function waitingTime({ phase, waiting }: Pick<TurnsState, 'phase' | 'waiting'>, now: number): WaitingTime {
  if (waiting === null) return { seconds: null, delay: null };
  const seconds = Math.floor((now - waiting.since) / 1000);
  const awaited = phase.name === 'streaming' ? 'more' : 'reply';
  // The wait for another attempt says itself when it is over.
  const isDelayed = phase.name !== 'retrying' && now - waiting.lastActivityAt >= usualSilenceSeconds * 1000;
  return { seconds: seconds < shortWaitSeconds ? null : seconds, delay: isDelayed ? awaited : null };
}
