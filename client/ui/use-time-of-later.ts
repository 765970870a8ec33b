import { useFormatter } from 'use-intl/react';
import { useSecondsUntil } from '../controls/use-seconds-until.ts';

/** A wait that is longer than this is told by the clock: nobody watches minutes being counted down. */
const longestCountdownSeconds = 120;

/**
 * When `deadline` (milliseconds since the epoch) is, in words such as `14:32`, with the day where it is not today. Undefined
 * where it is so near that a countdown says more.
 */
export function useTimeOfLater(deadline: number): string | undefined {
  const { dateTime } = useFormatter();
  if (useSecondsUntil(deadline) <= longestCountdownSeconds) return undefined;
  const isToday = new Date(deadline).toDateString() === new Date().toDateString();
  return dateTime(deadline, { ...(!isToday && { weekday: 'long' }), hour: 'numeric', minute: '2-digit' });
}
