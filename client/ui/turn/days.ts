import type { useFormatter } from 'use-intl/react';

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
