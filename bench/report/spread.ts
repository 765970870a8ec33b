/** How a figure came out over the rounds. */
export type Spread = { minimum: number; median: number; maximum: number };

export function spreadOf(samples: readonly number[]): Spread {
  return { minimum: quantile(samples, 0), median: quantile(samples, 0.5), maximum: quantile(samples, 1) };
}

/** The value under which this part (0 to 1) of `samples` lies, between the two nearest in proportion. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = Float64Array.from(samples).sort();
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('There are no samples.');
  return below + (above - below) * (place - Math.floor(place));
}

/** `median (minimum–maximum)`. */
export function showSpread({ minimum, median, maximum }: Spread, digits: number): string {
  const show = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(median)} (${show(minimum)}–${show(maximum)})`;
}
