import { useEffect, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { duration } from './duration.ts';

/** The time until `deadline` (milliseconds since the epoch), counting down. */
export function Countdown({ deadline }: { deadline: number }) {
  const t = useTranslations('duration');
  const seconds = useSecondsUntil(deadline);
  return (
    <span role="timer" className="countdown">
      {duration(t, seconds)}
    </span>
  );
}

/** The whole seconds until `deadline` (milliseconds since the epoch), counting down on the page; never below zero. */
export function useSecondsUntil(deadline: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((deadline - now) / 1000));
}

/** A wait that is longer than this is told by the clock: nobody watches minutes being counted down. */
const maxCountdownSeconds = 120;

/**
 * When `deadline` (milliseconds since the epoch) is, in words such as `at 14:32` or `tomorrow at 9:41`. Undefined where it is so
 * near that a countdown says more.
 */
export function useTimeOfLater(deadline: number): string | undefined {
  const t = useTranslations('later');
  const { dateTime } = useFormatter();
  if (useSecondsUntil(deadline) <= maxCountdownSeconds) return undefined;
  const time = dateTime(deadline, { hour: 'numeric', minute: '2-digit' });
  const day = new Date(deadline).toDateString();
  const tomorrow = new Date();
  tomorrow.setDate(tomorrow.getDate() + 1);
  if (day === new Date().toDateString()) return t('today', { time });
  if (day === tomorrow.toDateString()) return t('tomorrow', { time });
  return t('onDay', { day: dateTime(deadline, { weekday: 'long' }), time });
}
