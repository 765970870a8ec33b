import type { DecimalMark } from './read-number.ts';

/** What stands before the fraction of a number in the language of `locale`. */
export function usualDecimalMark(locale: string): DecimalMark {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
}
