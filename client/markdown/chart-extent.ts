import type { ChartData } from './chart-data.ts';

export type Point = { label: string; name: string; value: number };

/** The lowest and the highest point of a chart; the first of them where there are several. */
export function chartExtent({ labels, series }: ChartData): { lowest: Point; highest: Point } | undefined {
  const points = series.flatMap(({ name, values }) =>
    values.flatMap((value, index): Point[] => (value === null ? [] : [{ label: labels[index] ?? '', name, value }])),
  );
  const [first] = points;
  if (first === undefined) return undefined;
  return {
    lowest: points.reduce((lowest, point) => (point.value < lowest.value ? point : lowest), first),
    highest: points.reduce((highest, point) => (point.value > highest.value ? point : highest), first),
  };
}
