/** Aligned columns under their headings; the last one is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names are what people typed: one on a line, and nothing in it that a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}
