import { useTranslations } from 'use-intl/react';
import { duration } from './duration.ts';
import { useSecondsUntil } from './use-seconds-until.ts';

/** The time until `deadline` (milliseconds since the epoch), counting down. */
export function Countdown({ deadline }: { deadline: number }) {
  const say = useTranslations('duration');
  const seconds = useSecondsUntil(deadline);
  return (
    <span role="timer" className="countdown">
      {duration(say, seconds)}
    </span>
  );
}
