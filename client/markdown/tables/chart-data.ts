import { languageTags } from '../../language/languages.ts';
import type { Cell, Table } from '../parsing/nodes.ts';
import {
  type DecimalMark,
  decimalMarkIn,
  inferDecimalMark,
  isAmbiguous,
  numberOf,
  type ParsedNumber,
  readNumber,
} from './read-number.ts';
import { cellText } from './table-text.ts';

export type NumberColumn = {
  name: string;
  unit: string;
  isUnitFirst: boolean;
  isUnitSpaced: boolean;
  /** The quantity that the column counts or measures. Columns of different quantities share no axis. */
  quantity: string;
  values: readonly number[];
};

export type ChartData = { labels: readonly string[]; columns: readonly NumberColumn[] };

/** A chart of more rows is unreadable. */
const maxRows = 1000;
/** More colors cannot be distinguished. */
export const maxChosenColumns = 5;

/** The labels of a row of totals, in the languages of the page. */
const totals = new Set([
  ...['total', 'totals', 'grand total', 'sum'],
  ...['gesamt', 'insgesamt', 'summe', 'gesamtsumme'],
  ...['total général', 'somme'],
  ...['total general', 'suma'],
  ...['合計', '総計', '計'],
  ...['المجموع', 'الإجمالي', 'المجموع الكلي'],
]);

/**
 * Returns the data of a table's chart. The first column labels the rows. Every other column whose cells are all numbers with the same
 * unit, or all without one, can be drawn, unless a number such as `1,240` stays ambiguous. A last row that is labelled as a total is
 * left out, because it would make all other bars short. Returns undefined for more than `maxRows` rows, and if fewer than two rows or
 * no column remain.
 */
export function chartDataOf(table: Table): ChartData | undefined {
  if (table.rows.length > maxRows) return undefined;
  const rows = table.rows.map(({ cells }) => table.head.map((_, column) => textIn(cells[column])));
  if (totals.has(rows.at(-1)?.[0]?.toLowerCase() ?? '')) rows.pop();
  const [labels = [], ...others] = table.head.map((_, column) => rows.map((row) => row[column] ?? ''));
  const numbersByColumn = others.map(numbersIn);
  const marksInTable = numbersByColumn.flatMap((numbers = []) => decimalMarksOf(numbers));
  const drawable = numbersByColumn.flatMap((numbers, index): NumberColumn | [] => {
    if (numbers === undefined) return [];
    const mark = commonMark(numbers.flatMap((number) => decimalMarkIn(number) ?? [])) ?? commonMark(marksInTable);
    if (mark === undefined && numbers.some(isAmbiguous)) return [];
    const name = textIn(table.head[index + 1]);
    const values = numbers.map((number) => numberOf(number, decimalMarkIn(number) ?? mark ?? '.'));
    const unit = unitOf(numbers);
    return { name, ...unit, quantity: quantityOf(unit.unit || unitInName(name)), values };
  });
  return labels.length > 1 && drawable.length > 0 ? { labels, columns: drawable } : undefined;
}

function textIn(cell: Cell | undefined): string {
  return cell ? cellText(cell) : '';
}

/** Returns the decimal marks that the numbers of a column show: if one has 12.5, then 1,000 is a thousand. */
function decimalMarksOf(numbers: readonly ParsedNumber[]): readonly DecimalMark[] {
  const marks = [...numbers.map(decimalMarkIn), inferDecimalMark(numbers)];
  return marks.filter((mark) => mark !== undefined);
}

/** Returns the mark if all `marks` are the same; undefined if they differ or there are none. */
function commonMark(marks: readonly DecimalMark[]): DecimalMark | undefined {
  return new Set(marks).size === 1 ? marks[0] : undefined;
}

/** Returns undefined if a text is not a number or the units differ. */
function numbersIn(texts: readonly string[]): readonly ParsedNumber[] | undefined {
  const numbers = texts.flatMap((text) => readNumber(text) ?? []);
  const isComplete = numbers.length === texts.length;
  return isComplete && new Set(numbers.map(({ unit }) => stemOf(unit))).size === 1 ? numbers : undefined;
}

/** Returns the longest spelling of the unit: `days` rather than `day`. */
function unitOf(numbers: readonly ParsedNumber[]) {
  const [longest] = numbers.toSorted((one, other) => other.unit.length - one.unit.length);
  return {
    unit: longest?.unit ?? '',
    isUnitFirst: longest?.isUnitFirst ?? false,
    isUnitSpaced: longest?.isUnitSpaced ?? false,
  };
}

/** `week` and `weeks` are the same unit. */
const stemOf = (unit: string) => unit.replace(/(?<=\p{L}{2})(?:e[ns]?|[ns])$/u, '');

const unitSign = /[%‰]|\p{Sc}/u;
const bracketedUnit = /[([（]([^()[\]（）]{1,16})[)\]）]$/;

/** Returns the unit in the name of a column, such as “Share (%)”, “Distance [km]” or “Waiting hours”, or an empty text. */
function unitInName(name: string): string {
  const words = name.toLowerCase().split(/[^\p{L}\p{M}]+/u);
  return unitSign.exec(name)?.[0] ?? bracketedUnit.exec(name)?.[1] ?? words.find((word) => unitNames().has(word)) ?? '';
}

/** `%` and “Prozent” are the same quantity, and so are “hours” and “Stunden”. */
function quantityOf(unit: string): string {
  return unitNames().get(unit.toLowerCase()) ?? stemOf(unit);
}

let knownUnitNames: ReadonlyMap<string, string> | undefined;

/** The names of shares and durations in the languages of the page. Only plurals: a column “Day shift” does not count days. */
function unitNames(): ReadonlyMap<string, string> {
  knownUnitNames ??= new Map([
    ['%', 'percent'],
    ...['percent', 'second', 'minute', 'hour', 'day'].flatMap((unit) =>
      languageTags.map((language) => [pluralOf(unit, language), unit] as const),
    ),
  ]);
  return knownUnitNames;
}

function pluralOf(unit: string, language: string): string {
  const parts = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(5);
  return parts.find(({ type }) => type === 'unit')?.value.toLowerCase() ?? '';
}

export function defaultColumns(columns: readonly NumberColumn[]): readonly NumberColumn[] {
  const [first] = columns;
  return columns.filter(({ quantity }) => quantity === first?.quantity).slice(0, maxChosenColumns);
}

/** Adds or removes `column`. A column with another unit replaces the chosen ones. */
export function toggleColumn(
  columns: readonly NumberColumn[],
  chosen: readonly NumberColumn[],
  column: NumberColumn,
): readonly NumberColumn[] {
  if (chosen.includes(column)) return chosen.filter((other) => other !== column);
  return columns.filter((other) => other === column || (chosen.includes(other) && other.quantity === column.quantity));
}
