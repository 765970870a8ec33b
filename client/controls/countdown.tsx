import { useEffect, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { steadyNow } from '../steady-now.ts';
import { formatDuration } from './duration.ts';

/** Counts down to `deadline`, a time of `steadyNow`. */
export function Countdown({ deadline }: { deadline: number }) {
  const t = useTranslations('duration');
  const seconds = useSecondsUntil(deadline);
  return (
    <span role="timer" className="countdown">
      {formatDuration(t, seconds)}
    </span>
  );
}

function useSecondsUntil(deadline: number): number {
  return Math.max(0, Math.ceil((deadline - useSteadyNow(250)) / 1000));
}

/** Returns the time of `steadyNow`, updated every `milliseconds`. */
export function useSteadyNow(milliseconds: number): number {
  const [now, setNow] = useState(steadyNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(steadyNow()), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return now;
}

/** Longer waits show the time of day instead of a countdown. */
const maxCountdownSeconds = 120;

/** Returns words such as `at 14:32` for `deadline`, a time of `steadyNow`; undefined if it is near enough for a countdown. */
export function useDistantTime(deadline: number): string | undefined {
  const t = useTranslations('later');
  const { dateTime } = useFormatter();
  if (useSecondsUntil(deadline) <= maxCountdownSeconds) return undefined;
  const moment = Date.now() + deadline - steadyNow();
  const time = dateTime(moment, { hour: 'numeric', minute: '2-digit' });
  const day = new Date(moment).toDateString();
  const tomorrow = new Date();
  tomorrow.setDate(tomorrow.getDate() + 1);
  if (day === new Date().toDateString()) return t('today', { time });
  if (day === tomorrow.toDateString()) return t('tomorrow', { time });
  return t('onDay', { day: dateTime(moment, { weekday: 'long' }), time });
}
