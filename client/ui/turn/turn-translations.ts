import { useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';

/**
 * Returns the translations that every turn needs. The list creates them once, because each `useTranslations` keeps about 0.5 kB per
 * component, and a conversation can have hundreds of turns.
 */
export function useTurnTranslations() {
  const t = useTranslations('conversation');
  const tCommand = useTranslations('commands');
  const tVersions = useTranslations('versions');
  const tCopy = useTranslations('copying');
  const tProblem = useTranslations('problem');
  const format = useFormatter();
  return useMemo(
    () => ({ t, tCommand, tVersions, tCopy, tProblem, format }),
    [t, tCommand, tVersions, tCopy, tProblem, format],
  );
}

export type TurnTranslations = ReturnType<typeof useTurnTranslations>;

type Formatter = ReturnType<typeof useFormatter>;

const dayOf = (format: Formatter, moment: number) => format.dateTime(moment, { dateStyle: 'full' });

/** Returns the day of a question if it differs from the day of the previous one, or from today if there is none. */
export function newDay(format: Formatter, askedAt: number | null, previousAskedAt: number | null): string | undefined {
  if (askedAt === null) return undefined;
  const day = dayOf(format, askedAt);
  return day === dayOf(format, previousAskedAt ?? Date.now()) ? undefined : day;
}

/** Includes the date unless that is today. */
export function timeOf(format: Formatter, askedAt: number): string {
  const isToday = dayOf(format, askedAt) === dayOf(format, Date.now());
  return format.dateTime(askedAt, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
}
