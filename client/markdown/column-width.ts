import type { Cell, Row, Table } from './nodes.ts';
import { cellText } from './table-text.ts';

/** How much room a column needs at least, so that its text is not a word a line. */
export type ColumnWidth = 'narrow' | 'medium' | 'wide';

const mediumCharacters = 24;
const wideCharacters = 60;
const mostShortCharacters = 16;

/** A longer word than any that people write in a table: an address, a path, a key. */
export const longWord = /\S{25,}/;

/** The widths of a table's columns, by the longest cell of each. One long word has no say: it is broken where it stands. */
export function columnWidths({ head, rows }: Table): ColumnWidth[] {
  return head.map((headCell, column) => {
    const longest = rows.reduce((most, row) => Math.max(most, lengthsIn(row)[column] ?? 0), lengthOf(headCell));
    return longest > wideCharacters ? 'wide' : longest > mediumCharacters ? 'medium' : 'narrow';
  });
}

/** Whether the first column, which names the rows, is short enough to be on one line each. */
export function isFirstShort({ head, rows }: Table): boolean {
  const [first] = head;
  return (
    first !== undefined &&
    lengthOf(first) <= mostShortCharacters &&
    rows.every((row) => (lengthsIn(row)[0] ?? 0) <= mostShortCharacters)
  );
}

/** Of rows that have been looked at: a long table is not measured anew with each row that it gets. */
const measured = new WeakMap<Row, readonly number[]>();

function lengthsIn(row: Row): readonly number[] {
  const known = measured.get(row);
  if (known !== undefined) return known;
  const lengths = row.cells.map(lengthOf);
  measured.set(row, lengths);
  return lengths;
}

function lengthOf(cell: Cell): number {
  return cellText(cell)
    .split(/\s+/)
    .reduce((length, word) => length + Math.min(word.length, mediumCharacters) + 1, -1);
}
