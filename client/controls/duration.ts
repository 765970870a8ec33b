import type { useTranslations } from 'use-intl/react';

/** Formats whole seconds in the language of `t`, as `42 s`, `12 min 05 s` or `11 h 06 min`. */
export function formatDuration(t: ReturnType<typeof useTranslations<'duration'>>, seconds: number): string {
  if (seconds < 60) return t('seconds', { seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('minutes', { minutes, seconds: twoDigits(seconds % 60) });
  const totalMinutes = Math.ceil(seconds / 60);
  return t('hours', { hours: Math.floor(totalMinutes / 60), minutes: twoDigits(totalMinutes % 60) });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
