export type ByteUnit = 'kilobyte' | 'megabyte' | 'gigabyte';

/** So many bytes in the unit in which a person reads them best. The units are decimal, as `Intl` has them. */
export function inUnits(bytes: number): { value: number; unit: ByteUnit } {
  if (bytes < 999_500) return { value: bytes / 1e3, unit: 'kilobyte' };
  return bytes < 999_500_000 ? { value: bytes / 1e6, unit: 'megabyte' } : { value: bytes / 1e9, unit: 'gigabyte' };
}
