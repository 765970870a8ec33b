import type { Row, Table } from './nodes.ts';
import { readNumber } from './read-number.ts';
import { cellText } from './table-text.ts';

/** How much room a column needs at least, so that its text is not a word a line. A short one has a few words. */
export type ColumnWidth = 'narrow' | 'short' | 'medium' | 'wide';

const mediumCharacters = 24;
const wideCharacters = 60;
const mostShortCharacters = 16;
/** Few enough for one line of a narrow column. */
const narrowCharacters = 6;
/** A head stands on two lines where its column has numbers. */
const narrowHeadCharacters = 12;

/** A longer word than any that people write in a table: an address, a path, a key. */
export const longWord = /\S{25,}/;

/** The widths of a table's columns, by the longest cell of each. One long word has no say: it is broken where it stands. */
export function columnWidths(table: Table): ColumnWidth[] {
  return largestCells(table).map(({ length, isText }, column) => {
    if (length > mediumCharacters) return length > wideCharacters ? 'wide' : 'medium';
    return isText && !(column === 0 && isFirstShort(table)) ? 'short' : 'narrow';
  });
}

/** What is wide on every screen, in rem: the column of a conversation, and the room beside the margins of a phone. */
const pageRem = 46;
const phoneRem = 24;

/** The least widths of columns in rem, as table.css has them; of a letter and of the room beside it, rather too little. */
const leastRem = { narrow: 4, short: 4, medium: 10, wide: 14, longWord: 8, letter: 0.42, gap: 0.9 };

/**
 * Whether a table is wider than the page or a phone however narrow its columns are. Then it scrolls in any case, and a
 * few words may as well stand on one line. By its text alone: what is measured on the page would move what is read.
 */
export function widerThan(table: Table): 'page' | 'phone' | undefined {
  const widths = columnWidths(table);
  const rem = largestCells(table).reduce((sum, { word }, column) => {
    const wordRem = word > mediumCharacters ? leastRem.longWord : word * leastRem.letter + leastRem.gap;
    return sum + Math.max(wordRem, leastRem[widths[column] ?? 'narrow']);
  }, 0);
  if (rem > pageRem) return 'page';
  return rem > phoneRem ? 'phone' : undefined;
}

/** Whether the first column, which names the rows, is short enough to be on one line each. */
export function isFirstShort({ head, rows }: Table): boolean {
  const [first] = head;
  return (
    first !== undefined &&
    sizeOf(cellText(first)).length <= mostShortCharacters &&
    rows.every((row) => (sizesIn(row)[0]?.length ?? 0) <= mostShortCharacters)
  );
}

/** The characters of a cell and of its longest word, and whether it is a text that needs more than a narrow column. */
type Size = { length: number; word: number; isText: boolean };

/** Of tables that have been looked at: more than one question is asked about each. */
const largest = new WeakMap<Table, readonly Size[]>();

/** What is largest in each column, its head included. */
function largestCells(table: Table): readonly Size[] {
  const known = largest.get(table);
  if (known !== undefined) return known;
  const sizes = table.head.map((cell) => sizeOf(cellText(cell), narrowHeadCharacters));
  for (const row of table.rows) {
    const inRow = sizesIn(row);
    for (const [column, size] of sizes.entries()) {
      const other = inRow[column];
      if (other === undefined) continue;
      size.length = Math.max(size.length, other.length);
      size.word = Math.max(size.word, other.word);
      size.isText ||= other.isText;
    }
  }
  largest.set(table, sizes);
  return sizes;
}

/** Of rows that have been looked at: a long table is not measured anew with each row that it gets. */
const measured = new WeakMap<Row, readonly Size[]>();

function sizesIn(row: Row): readonly Size[] {
  const known = measured.get(row);
  if (known !== undefined) return known;
  const sizes = row.cells.map((cell) => sizeOf(cellText(cell)));
  measured.set(row, sizes);
  return sizes;
}

/** What can be broken between its letters has no words to measure. */
const unspaced = /[\u3040-\u30FF\u3400-\u9FFF]/;

function sizeOf(text: string, narrow = narrowCharacters): Size {
  const words = text.split(/\s+/);
  const length = words.reduce((sum, word) => sum + Math.min(word.length, mediumCharacters) + 1, -1);
  const isUnspaced = unspaced.test(text);
  const isText = length > narrow && (words.length > 1 || isUnspaced) && readNumber(text) === undefined;
  return { length, word: isUnspaced ? 1 : Math.max(...words.map((word) => word.length)), isText };
}
