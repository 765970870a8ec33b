import { type Clock, systemClock } from '../client/chat/clock.ts';

/** Returns the whole seconds until `time` by the clock's `steadyNow`, rounded up; 0 if it has passed or is null. */
export function secondsLeft(time: number | null, clock: Pick<Clock, 'steadyNow'> = systemClock): number {
  return time === null ? 0 : Math.max(0, Math.ceil((time - clock.steadyNow()) / 1000));
}
