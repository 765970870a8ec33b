import type { Cell, Row, Table } from './nodes.ts';
import { readNumber } from './read-number.ts';
import { cellText } from './table-text.ts';

/** How much room a column needs at least, so that its text is not a word a line. A short one has a few words, or numbers only. */
export type ColumnWidth = 'number' | 'narrow' | 'short' | 'medium' | 'wide';

const mediumCharacters = 24;
const wideCharacters = 60;
const maxShortCharacters = 16;
/** Few enough for one line of a narrow column. */
const narrowCharacters = 6;
/** A head stands on two lines where its column has numbers. */
const narrowHeadCharacters = 12;

/** A longer word than any that people write in a table: an address, a path, a key. */
export const longWord = /\S{25,}/;

const maxUnbroken = 20;
/** A longer cell wraps, so that a table of few columns fits on a phone. */
const maxOneLineCharacters = 14;

/** Whether a cell stays on one line: a few short words, such as a name, or what is read as one. */
export function isOneLine(text: string): boolean {
  return widthOf(text) <= maxOneLineCharacters || isUnbroken(text);
}

/** The width of a text in letters. Chinese and Japanese characters are as wide as two. */
function widthOf(text: string): number {
  return text.length + (text.match(wideCharacter)?.length ?? 0);
}

const wideCharacter = /[\u3000-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uFF00-\uFF60]/g;

/** Whether a text is read as one, in a head as well: a single word such as `M./Albrecht`, a number, or a date. */
export function isUnbroken(text: string): boolean {
  if (text.length > maxUnbroken) return false;
  return isSingleWord(text) || isNumberOrDate(text);
}

/** Whether a browser would break a word that has no space in it. */
function isSingleWord(text: string): boolean {
  return /[-/–—?|]/.test(text) && !/\s/.test(text) && !unspaced.test(text);
}

/** Whether a short cell has digits, and at most one word. */
function isNumberOrDate(text: string): boolean {
  if (text.length > maxUnbroken || !/\p{N}/u.test(text)) return false;
  const words = text.replaceAll(' de ', ' ').match(/\p{L}{2,}/gu) ?? [];
  return words.length <= 1 || readNumber(text) !== undefined;
}

/** How a table is laid out, by its text alone: what is measured on the page would move what is read. */
export type TableLayout = {
  /** By the longest cell of each column. One long word has no say: it is broken where it stands. */
  widths: readonly ColumnWidth[];
  /**
   * Whether the table is wider than the page or a phone however narrow its columns are. Then it scrolls in any case, and a few
   * words may as well stand on one line.
   */
  widerThan: 'page' | 'phone' | undefined;
  /** Whether the first column, which names the rows, is short enough to be on one line each. */
  isFirstShort: boolean;
};

/** What is wide on every screen, in rem: the column of a conversation, and the room beside the margins of a phone. */
const pageRem = 46;
const phoneRem = 24;

/** The least widths of columns in rem, as table.css has them; of a letter and of the room beside it, rather too little. */
const minRem = { number: 4, narrow: 4, short: 4, medium: 10, wide: 14, longWord: 8, letter: 0.42, gap: 0.9 };

export function tableLayout(table: Table): TableLayout {
  const largest = largestCells(table);
  const isFirstShort =
    largest[0] !== undefined && firstCells(table).every(({ length }) => length <= maxShortCharacters);
  const widths = largest.map(({ length, isText, isNumber }, column): ColumnWidth => {
    if (isNumber && table.rows.length > 0) return 'number';
    if (length > mediumCharacters) return length > wideCharacters ? 'wide' : 'medium';
    return isText && !(column === 0 && isFirstShort) ? 'short' : 'narrow';
  });
  const rem = largest.reduce((sum, { word }, column) => {
    const wordRem = word > mediumCharacters ? minRem.longWord : word * minRem.letter + minRem.gap;
    return sum + Math.max(wordRem, minRem[widths[column] ?? 'narrow']);
  }, 0);
  const wider = rem > phoneRem ? 'phone' : undefined;
  return { widths, isFirstShort, widerThan: rem > pageRem ? 'page' : wider };
}

function firstCells({ head: [first], rows }: Table): Size[] {
  const own = first ? [sizeOfHead(first)] : [];
  return [...own, ...rows.flatMap((row) => sizesIn(row)[0] ?? [])];
}

/**
 * The characters of a cell and of its longest word, and whether it is a text that needs more than a narrow column. An empty cell may
 * be a number, and a head stands above numbers as well.
 */
type Size = { length: number; word: number; isText: boolean; isNumber: boolean };

/** What is largest in each column, its head included. */
function largestCells(table: Table): readonly Size[] {
  const sizes = table.head.map((cell) => ({ ...sizeOfHead(cell), isNumber: true }));
  for (const row of table.rows) {
    const inRow = sizesIn(row);
    for (const [column, size] of sizes.entries()) {
      const other = inRow[column];
      if (other === undefined) continue;
      size.length = Math.max(size.length, other.length);
      size.word = Math.max(size.word, other.word);
      size.isText ||= other.isText;
      size.isNumber &&= other.isNumber;
    }
  }
  return sizes;
}

/** Of rows that have been looked at: a long table is not measured anew with each row that it gets. */
const measured = new WeakMap<Row, readonly Size[]>();

function sizesIn(row: Row): readonly Size[] {
  const known = measured.get(row);
  if (known !== undefined) return known;
  const sizes = row.cells.map(sizeOfCell);
  measured.set(row, sizes);
  return sizes;
}

/** What can be broken between its letters has no words to measure. */
const unspaced = /[\u3040-\u30FF\u3400-\u9FFF]/;

function sizeOfHead(cell: Cell): Size {
  const text = cellText(cell);
  return sizeOf(text, isUnbroken(text), narrowHeadCharacters);
}

function sizeOfCell(cell: Cell): Size {
  const text = cellText(cell);
  return sizeOf(text, isOneLine(text), narrowCharacters);
}

function sizeOf(text: string, isOneLine: boolean, narrow: number): Size {
  const words = isOneLine ? [text] : text.split(/\s+/);
  const length = words.reduce((sum, word) => sum + Math.min(word.length, mediumCharacters) + 1, -1);
  const isUnspaced = unspaced.test(text);
  const isText = length > narrow && (words.length > 1 || isUnspaced) && !isOneLine;
  const longestWord = words.reduce((longest, word) => Math.max(longest, widthOf(word)), 0);
  return {
    length,
    word: isUnspaced && !isOneLine ? 1 : longestWord,
    isText,
    isNumber: text === '' || isNumberOrDate(text),
  };
}
