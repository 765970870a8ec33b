import type { TurnsState } from '../chat/conversation-state.ts';

type WaitingTime = {
  /** Since the start in `timing`; null without one, and in the first seconds. */
  seconds: number | null;
  /** The text that takes longer than usual: the first one (`reply`) or further text (`more`). Null if none does, and before a retry. */
  delay: 'reply' | 'more' | null;
};

/** The elapsed time is shown only after this. */
const shortWaitSeconds = 3;

/** A reply without new text for this long takes longer than usual. */
const usualSilenceSeconds = 15;

/** `now` is a time of the clock's `steadyNow`, like the times of the state. */
export function waitingTime({ phase, timing }: Pick<TurnsState, 'phase' | 'timing'>, now: number): WaitingTime {
  if (timing === null) return { seconds: null, delay: null };
  const seconds = Math.floor((now - timing.since) / 1000);
  const awaited = phase.name === 'streaming' ? 'more' : 'reply';
  // The notice of a retry has its own countdown.
  const isDelayed = phase.name !== 'retrying' && now - timing.lastActivityAt >= usualSilenceSeconds * 1000;
  return { seconds: seconds < shortWaitSeconds ? null : seconds, delay: isDelayed ? awaited : null };
}
