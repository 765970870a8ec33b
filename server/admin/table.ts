/**
 * Aligned columns under their headings, page by page; the last column is not padded. A column is as wide as its widest cell
 * so far: only a page can be looked at before it is printed.
 */
export async function* table<Row>(
  headings: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
  cellsOf: (row: Row) => readonly string[],
): AsyncGenerator<string> {
  const widths = headings.map(() => 0);

  function format(lines: readonly (readonly string[])[]): string {
    for (const [column, width] of widths.entries()) {
      widths[column] = lines.reduce((widest, cells) => Math.max(widest, cells[column]?.length ?? 0), width);
    }
    return lines.map((cells) => `${padded(cells).join('  ').trimEnd()}\n`).join('');
  }
  const padded = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));

  let waiting: readonly (readonly string[])[] = [headings];
  for await (const rows of pages) {
    yield format([...waiting, ...rows.map((row) => cellsOf(row).map(printable))]);
    waiting = [];
  }
  if (waiting.length > 0) yield format(waiting);
}

/** Names are what people typed: one on a line, and nothing in it that a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}
