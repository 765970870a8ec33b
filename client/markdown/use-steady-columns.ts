import { useLayoutEffect, useRef } from 'react';

/** A table with so many rows has columns as wide as they will be, or nearly so. */
const decidingRows = 100;

/**
 * Keeps the columns of a long table as wide as its first rows have made them. Otherwise each row that is added could change
 * the width, and so the height, of all the rows above it, and the browser would have to look at them all.
 */
export function useSteadyColumns(rowCount: number) {
  const table = useRef<HTMLTableElement>(null);
  const isLong = rowCount > decidingRows;

  useLayoutEffect(() => {
    const { current } = table;
    const heads = Array.from(current?.tHead?.rows[0]?.cells ?? []);
    if (!isLong || current === null) return;
    const { width } = current.getBoundingClientRect();
    const widths = heads.map((head) => head.getBoundingClientRect().width);
    for (const [index, head] of heads.entries()) head.style.width = `${widths[index]}px`;
    current.style.width = `${width}px`;
    current.style.tableLayout = 'fixed';
  }, [isLong]);

  return table;
}
