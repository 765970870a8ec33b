import type { useTranslations } from 'use-intl/react';

/** Whole seconds in the words of `t`, such as `42 s`, `12 min 05 s` or `11 h 06 min`: in hours, nobody waits for seconds. */
export function duration(t: ReturnType<typeof useTranslations<'duration'>>, seconds: number): string {
  if (seconds < 60) return t('seconds', { seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('minutes', { minutes, seconds: twoDigits(seconds % 60) });
  const minutesLeft = Math.ceil(seconds / 60);
  return t('hours', { hours: Math.floor(minutesLeft / 60), minutes: twoDigits(minutesLeft % 60) });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
