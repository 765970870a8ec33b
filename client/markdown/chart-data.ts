import type { Table } from './nodes.ts';
import { type DecimalMark, decimalMarkIn, numberOf, readNumber, type WrittenNumber } from './read-number.ts';
import { cellText } from './table-text.ts';

/** One column of numbers in one unit; null where a cell has none. */
export type NumberColumn = { name: string; unit: string; isUnitFirst: boolean; values: readonly (number | null)[] };

/** A table as charts can show it. Its rows are steps in time, or things. */
export type ChartData = { labels: readonly string[]; isTime: boolean; columns: readonly NumberColumn[] };

/** A table with more rows is no chart that one looks at. */
const maxRows = 1000;
/** More colours cannot be told apart. */
export const maxChosen = 5;
/** Beside one that is larger by more than this, a column lies flat on the axis. */
const largestRatio = 10;

/**
 * The columns of numbers of a table, and what names its rows: the first column that is not numbers. Undefined where there is
 * nothing to compare. `usual` is how numbers are written that can be read in two ways.
 */
export function chartDataOf({ head, rows }: Table, usual: DecimalMark): ChartData | undefined {
  if (rows.length > maxRows) return undefined;
  const texts = head.map((_, column) => rows.map(({ cells: { [column]: cell } }) => (cell ? cellText(cell) : '')));
  const known = texts.flatMap((column) => column.flatMap((text) => readNumber(text) ?? []));
  const columns = head.map((cell, index) => {
    const column = columnOf(texts[index] ?? [], known, usual);
    return column && { name: cellText(cell), ...column };
  });
  const isTime = (column: readonly string[] = []) => column.length > 2 && column.every((text) => stepInTime.test(text));
  const named = texts.findIndex((column, index) => !columns[index] && column.some(Boolean));
  const naming = isTime(texts[0]) || (named === -1 && columns.length > 1) ? 0 : named;
  const labels = texts[naming] ?? rows.map((_, index) => `${index + 1}`);
  // What stands before the names, a number of the row, say, comes last.
  const chartable = [...columns.slice(naming + 1), ...columns.slice(0, Math.max(0, naming))];
  const data = { labels, isTime: isTime(labels), columns: chartable.filter((column) => column !== undefined) };
  return known.length > 1 && data.columns.length > 0 ? data : undefined;
}

/** The columns that are shown at first: the first one, and those that can stand on its axis. */
export function firstChoice(columns: readonly NumberColumn[]): readonly NumberColumn[] {
  const sizeOf = ({ values }: NumberColumn) => Math.max(...values.map((value) => Math.abs(value ?? 0)));
  const fits = (column: NumberColumn) => {
    const [smaller = 0, larger = 0] = [...columns.slice(0, 1), column].map(sizeOf).sort((one, other) => one - other);
    return column.unit === columns[0]?.unit && (smaller === 0 || larger <= largestRatio * smaller);
  };
  return columns.filter(fits).slice(0, maxChosen);
}

/** One week, two weeks: the same unit. */
const stemOf = (unit: string) => unit.replace(/(?<=\p{L}{2})(?:e[ns]?|[ns])$/u, '');

/** The numbers of a column; undefined where it has more words than numbers, or several units. A zero needs none. */
function columnOf(texts: readonly string[], known: readonly WrittenNumber[], usual: DecimalMark) {
  const cells = texts.map(readNumber);
  const numbers = cells.filter((number) => number !== undefined);
  const named = numbers.filter(({ unit, digits }) => unit !== '' || /[1-9]/.test(digits));
  const isMostlyWords = numbers.length === 0 || 2 * numbers.length < texts.filter(Boolean).length;
  if (isMostlyWords || new Set(named.map(({ unit }) => stemOf(unit))).size > 1) return undefined;
  // Who writes 12.5 in one place means a thousand by 1,000 in another.
  const told = [...numbers, ...known].map(decimalMarkIn).find((mark) => mark !== undefined);
  // A mark misread beside a magnitude would make the smaller of two amounts the larger one.
  const hasMagnitudes = new Set(numbers.map(({ exponent }) => exponent)).size > 1;
  if (told === undefined && hasMagnitudes && numbers.some(({ digits }) => /[.,]/.test(digits))) return undefined;
  const values = cells.map((number) => (number ? numberOf(number, decimalMarkIn(number) ?? told ?? usual) : null));
  const units = named.map(({ unit }) => unit).toSorted((one, other) => other.length - one.length);
  return { unit: units[0] ?? '', isUnitFirst: named[0]?.isUnitFirst ?? false, values };
}

const months =
  'jan|feb|mar|mär|maer|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fév|fev|avr|aoû|déc';
const stepInTime = new RegExp(
  `^(?:(?:week|woche|semaine|semana|day|tag|jour|día|month|monat|mois|mes|year|jahr|année|año|sprint|kw|w|第)\\s*\\d+.*` +
    `|[qt][1-4](?:\\D.*)?|\\d{4}|\\d{4}[-/.]\\d{1,2}.*|\\d{1,2}[-/]\\d{1,2}.*|\\d{1,2}\\.\\s?\\d{1,2}\\..*` +
    `|(?:\\d{1,2}\\.?\\s)?(?:${months})\\p{L}*\\.?(?:\\s.*)?|\\d{1,4}[年月日週].*)$`,
  'iu',
);
