import type { Table } from './nodes.ts';
import { cellText } from './table-text.ts';

/** How much room a column needs at least, so that its text is not a word a line. */
export type ColumnWidth = 'narrow' | 'medium' | 'wide';

const mediumCharacters = 24;
const wideCharacters = 60;
const mostShortCharacters = 16;

/** The widths of a table's columns, by the longest cell of each. One long word has no say: it is broken where it stands. */
export function columnWidths({ head, rows }: Table): ColumnWidth[] {
  return head.map((headCell, column) => {
    const longest = rows.reduce(
      (most, { cells: { [column]: cell } }) => (cell ? Math.max(most, lengthOf(cellText(cell))) : most),
      lengthOf(cellText(headCell)),
    );
    return longest > wideCharacters ? 'wide' : longest > mediumCharacters ? 'medium' : 'narrow';
  });
}

/** Whether the first column, which names the rows, is short enough to be on one line each. */
export function isFirstShort({ head, rows }: Table): boolean {
  return [head, ...rows.map(({ cells }) => cells)].every(
    ([cell]) => !cell || cellText(cell).length <= mostShortCharacters,
  );
}

/** A longer word than any that people write in a table: an address, a path, a key. */
export const longWord = /\S{25,}/;

function lengthOf(text: string): number {
  return text.split(/\s+/).reduce((length, word) => length + Math.min(word.length, mediumCharacters) + 1, -1);
}
