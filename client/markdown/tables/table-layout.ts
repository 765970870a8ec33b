import type { Cell, Row, Table } from '../parsing/nodes.ts';
import { readNumber } from './read-number.ts';
import { cellText } from './table-text.ts';

/** The minimum width of a column, so that its text does not wrap after each word. A `short` column has a few words. */
type ColumnWidth = 'number' | 'narrow' | 'short' | 'medium' | 'wide';

const mediumCharacters = 24;
const wideCharacters = 60;
const maxShortCharacters = 16;
const narrowCharacters = 6;
/** The head of a column of numbers can wrap onto two lines. */
const narrowHeadCharacters = 12;

/** A word that is longer than words of prose: a URL, a path or a key. */
export const longWordPattern = /\S{25,}/;

const maxUnbroken = 20;
/** Longer cells of several words wrap, so that a table with few columns fits on a phone. */
const maxOneLineCharacters = 14;

/** Returns whether a cell stays on one line: a few short words, such as a name, or text that reads as one word. */
export function isOneLine(text: string): boolean {
  return widthOf(text) <= maxOneLineCharacters || isUnbroken(text);
}

/** Heads of several words wrap, because they would make a column of short numbers wide. */
export function isOneLineHead(text: string): boolean {
  return widthOf(text) <= maxOneLineCharacters && isUnbroken(text);
}

/** Returns the width in Latin letters. A Chinese, Japanese or Korean character is as wide as two. */
function widthOf(text: string): number {
  return text.length + (text.match(wideCharacter)?.length ?? 0);
}

const wideCharacter = /[\u3000-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uFF00-\uFF60]/g;

/** Returns whether a line break must be prevented in a short text: in a word such as `M./Albrecht`, a number or a date. */
export function isUnbroken(text: string): boolean {
  if (text.length > maxUnbroken) return false;
  return isBreakableWord(text) || isNumberOrDate(text);
}

/** Returns whether the text has no spaces but contains a character after which browsers can break a line. */
function isBreakableWord(text: string): boolean {
  return /[-/–—?|]/.test(text) && !/\s/.test(text) && !unspaced.test(text);
}

function isNumberOrDate(text: string): boolean {
  if (text.length > maxUnbroken || !/\p{N}/u.test(text)) return false;
  const words = text.replaceAll(' de ', ' ').match(/\p{L}{2,}/gu) ?? [];
  return words.length <= 1 || readNumber(text) !== undefined;
}

/** The layout is computed from the text. Measuring the page instead would shift the layout while the user reads. */
export type TableLayout = {
  /** The longest cell of each column determines these widths. Only a part of a long word counts, because it can break anywhere. */
  widths: readonly ColumnWidth[];
  /** Set if the table is wider than this even with the narrowest columns. Its short columns then get more room. */
  widerThan: 'page' | 'phone' | undefined;
  /** Whether every cell of the first column, which names the rows, fits on one line. */
  isFirstShort: boolean;
  /** Set if the table may be wider than paper. */
  paper: readonly PaperColumn[] | undefined;
};

/** Widths in the font size of the table (em). */
export type PaperColumn = {
  /** The width at which the longest word fits without a break, within limits. */
  whole: number;
  /** The minimum width, at which words may break. A column that does not get it in the smallest type is left out. */
  least: number;
};

/** Available widths: the conversation column, and a phone without its margins. */
const pageRem = 46;
const phoneRem = 24;

/** The `min-width` of the columns in table.css, and low estimates for a letter and the padding of a cell. */
const minRem = { number: 4, narrow: 4, short: 4, medium: 10, wide: 14, longWord: 8, letter: 0.42, gap: 0.9 };

/** A5 paper in the usual type, and A4 paper in the smallest type, without their margins. */
const paperEm = { narrowest: 30, smallestType: 70 };

/**
 * High estimates of a bold letter, a digit and the padding of a cell; then the minimum width of a column, of one whose words
 * may break, and the maximum.
 */
const paperColumnEm = { letter: 0.66, digit: 0.58, gap: 0.8, narrowest: 2, broken: 4.5, widest: 12 };

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
    const canBreak = word > mediumCharacters && widths[column] !== 'number';
    const wordRem = canBreak ? minRem.longWord : word * minRem.letter + minRem.gap;
    return sum + Math.max(wordRem, minRem[widths[column] ?? 'narrow']);
  }, 0);
  const wider = rem > phoneRem ? 'phone' : undefined;
  return { widths, isFirstShort, widerThan: rem > pageRem ? 'page' : wider, paper: paperColumns(table, largest) };
}

/** Numbers stay whole if the columns then fit in the smallest type. */
function paperColumns({ rows }: Table, largest: readonly CellSize[]): readonly PaperColumn[] | undefined {
  const { letter, digit, gap, narrowest, broken, widest } = paperColumnEm;
  const wholes = largest.map(({ word }) => Math.min(Math.max(word * letter + gap, narrowest), widest));
  if (sumOf(wholes) <= paperEm.narrowest) return undefined;
  const leasts = largest.map(({ isNumber }, column) => {
    const longest = Math.max(0, ...rows.map((row) => sizesIn(row)[column]?.word ?? 0));
    return Math.min(wholes[column] ?? widest, isNumber ? Math.max(broken, longest * digit + gap) : broken);
  });
  const mayBreakNumbers = sumOf(leasts) > paperEm.smallestType;
  return wholes.map((whole, column) => ({
    whole,
    least: Math.min(leasts[column] ?? whole, mayBreakNumbers ? broken : widest),
  }));
}

const sumOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, 0);

function firstCells({ head: [first], rows }: Table): CellSize[] {
  const own = first ? [sizeOfHead(first)] : [];
  return [...own, ...rows.flatMap((row) => sizesIn(row)[0] ?? [])];
}

type CellSize = {
  length: number;
  word: number;
  isText: boolean;
  isNumber: boolean;
};

function largestCells(table: Table): readonly CellSize[] {
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

/** Caches the sizes of rows, so that a growing table does not measure its earlier rows again. */
const sizesByRow = new WeakMap<Row, readonly CellSize[]>();

function sizesIn(row: Row): readonly CellSize[] {
  const known = sizesByRow.get(row);
  if (known !== undefined) return known;
  const sizes = row.cells.map(sizeOfCell);
  sizesByRow.set(row, sizes);
  return sizes;
}

/** Chinese and Japanese text can break between most characters, so it has no words to measure. */
const unspaced = /[\u3040-\u30FF\u3400-\u9FFF]/;

function sizeOfHead(cell: Cell): CellSize {
  const text = cellText(cell);
  return sizeOf(text, isOneLineHead(text), narrowHeadCharacters);
}

function sizeOfCell(cell: Cell): CellSize {
  const text = cellText(cell);
  return sizeOf(text, isOneLine(text), narrowCharacters);
}

function sizeOf(text: string, isOneLine: boolean, narrow: number): CellSize {
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
