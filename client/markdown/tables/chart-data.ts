import type { Cell, Table } from '../nodes.ts';
import {
  type DecimalMark,
  decimalMarkIn,
  decimalMarkOfThousands,
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
 * Returns the chart of a table. The first column labels the rows. Every other column whose cells are all numbers with the same
 * unit, or all without one, can be drawn, unless their order is ambiguous. A last row that is labelled as a total is left out,
 * because it would make all other bars short. Returns undefined for more than `maxRows` rows, and if fewer than two rows or no
 * column remain. The caller's `defaultMark` decides how to read numbers such as `1,240` if no other number of the table shows which
 * mark is the decimal mark.
 */
export function chartDataOf(table: Table, defaultMark: DecimalMark): ChartData | undefined {
  if (table.rows.length > maxRows) return undefined;
  const rows = table.rows.map(({ cells }) => table.head.map((_, column) => textIn(cells[column])));
  if (totals.has(rows.at(-1)?.[0]?.toLowerCase() ?? '')) rows.pop();
  const [labels = [], ...others] = table.head.map((_, column) => rows.map((row) => row[column] ?? ''));
  const numbersByColumn = others.map(numbersIn);
  const columns = numbersByColumn.filter((numbers) => numbers !== undefined);
  // If one cell has 12.5, then 1,000 in another one is a thousand.
  const mark = firstDefined(columns.flat().map(decimalMarkIn)) ?? firstDefined(columns.map(decimalMarkOfThousands));
  const drawable = numbersByColumn.flatMap((numbers, index): NumberColumn | [] => {
    if (numbers === undefined || (mark === undefined && hasAmbiguousSize(numbers))) return [];
    const values = numbers.map((number) => numberOf(number, decimalMarkIn(number) ?? mark ?? defaultMark));
    return { name: textIn(table.head[index + 1]), ...unitOf(numbers), values };
  });
  return labels.length > 1 && drawable.length > 0 ? { labels, columns: drawable } : undefined;
}

function textIn(cell: Cell | undefined): string {
  return cell ? cellText(cell) : '';
}

function firstDefined<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined);
}

/** Returns undefined if a text is not a number or the units differ. */
function numbersIn(texts: readonly string[]): readonly ParsedNumber[] | undefined {
  const numbers = texts.flatMap((text) => readNumber(text) ?? []);
  const isComplete = numbers.length === texts.length;
  return isComplete && new Set(numbers.map(({ unit }) => stemOf(unit))).size === 1 ? numbers : undefined;
}

/** With several magnitudes, such as `k` and `M`, a misread mark could make the smaller of two amounts the larger one. */
function hasAmbiguousSize(numbers: readonly ParsedNumber[]): boolean {
  const magnitudes = new Set(numbers.map(({ exponent }) => exponent));
  return magnitudes.size > 1 && numbers.some(({ digits }) => /[.,]/.test(digits));
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

const hasSameUnit = (one: NumberColumn, other: NumberColumn) => stemOf(one.unit) === stemOf(other.unit);

export function defaultColumns(columns: readonly NumberColumn[]): readonly NumberColumn[] {
  const [first] = columns;
  return columns.filter((column) => first && hasSameUnit(first, column)).slice(0, maxChosenColumns);
}

/** Adds or removes `column`. A column with another unit replaces the chosen ones. */
export function toggleColumn(
  columns: readonly NumberColumn[],
  chosen: readonly NumberColumn[],
  column: NumberColumn,
): readonly NumberColumn[] {
  if (chosen.includes(column)) return chosen.filter((other) => other !== column);
  return columns.filter((other) => other === column || (chosen.includes(other) && hasSameUnit(other, column)));
}
