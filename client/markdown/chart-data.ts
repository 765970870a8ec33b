import type { Table } from './nodes.ts';
import { type DecimalMark, decimalMarkOf, inOneUnit, numberOf, readNumber, type WrittenNumber } from './read-number.ts';
import { cellText } from './table-text.ts';

/** One column of numbers; null where a cell has none. */
export type Series = { name: string; values: readonly (number | null)[] };

/** A table as a chart can show it: a line where the labels are steps in time, bars otherwise. */
export type ChartData = { kind: 'bars' | 'line'; labels: readonly string[]; unit: string; series: readonly Series[] };

type NumberColumn = Series & { unit: string };

/** More rows are no small chart any more. */
const mostRows = 200;
/** More bars beside each other cannot be told apart. */
const mostBars = 60;
const mostSeries = 5;
const mostCharts = 3;
/** On the scale of one that is larger by more than this, a column lies flat on the axis. */
const largestRatio = 10;

/**
 * The charts of a table whose first column names its rows and which has columns of numbers; none of any other. The columns of
 * one chart have the same unit and are of a size. `usual` is how numbers are written that can be read in two ways.
 */
export function chartsOf(table: Table, usual: DecimalMark): readonly ChartData[] {
  const { head, rows } = table;
  if (rows.length < 2 || rows.length > mostRows) return [];
  const textsOf = (index: number) => rows.map(({ cells }) => cells[index]).map((data) => (data ? cellText(data) : ''));
  const labels = textsOf(0);
  if (labels.every((label) => label === '') || columnOf(labels, usual, { isLabel: true })) return [];
  const texts = head.map((_cell, index) => textsOf(index));
  const numbers = texts.flat().map(readNumber);
  // Who writes 12.5 in one column means a thousand by 1,000 in another.
  const usualHere = decimalMarkOf(
    numbers.filter((number) => number !== undefined),
    usual,
  );
  const columns = head.flatMap((cell, index) => {
    const column = index === 0 ? undefined : columnOf(texts[index] ?? [], usualHere);
    return column ? [{ name: cellText(cell), ...column }] : [];
  });
  const groups = ofOneScale(columns);
  if (groups.length > mostCharts || groups.some((group) => group.length > mostSeries)) return [];
  const isTime = labels.length > 2 && labels.every(isStepInTime);
  return groups.map((group) => ({
    kind: isTime || rows.length * group.length > mostBars ? 'line' : 'bars',
    labels,
    unit: group[0]?.unit ?? '',
    series: group.map(({ name, values }) => ({ name, values })),
  }));
}

/** The columns in groups that can stand on one axis, in the order in which they come. */
function ofOneScale(columns: readonly NumberColumn[]): NumberColumn[][] {
  const groups: NumberColumn[][] = [];
  for (const column of columns) {
    const group = groups.find((group) => group.every((other) => fits(column, other)));
    if (group) group.push(column);
    else groups.push([column]);
  }
  return groups;
}

function fits(one: NumberColumn, other: NumberColumn): boolean {
  const [smaller = 0, larger = 0] = [largestOf(one), largestOf(other)].sort((first, second) => first - second);
  return one.unit === other.unit && (smaller === 0 || larger / smaller <= largestRatio);
}

function largestOf({ values }: Series): number {
  return values.reduce<number>((largest, value) => Math.max(largest, Math.abs(value ?? 0)), 0);
}

const noNumber = /^(?:[-–—]|n\/?a|k\. ?A\.|)$/i;

/** The numbers of a column, whose cells are all numbers of one unit or say that there is none. A year is a label. */
function columnOf(texts: readonly string[], usual: DecimalMark, { isLabel = false } = {}) {
  const cells = texts.map((text): WrittenNumber | null | undefined => (noNumber.test(text) ? null : readNumber(text)));
  if (cells.includes(undefined) || (isLabel && texts.every(isStepInTime))) return undefined;
  const numbers = inOneUnit(cells.filter((cell) => cell !== null && cell !== undefined));
  if (numbers === undefined || numbers.length < 2) return undefined;
  const valuesBy = (mark: DecimalMark) => numbers.map((number) => numberOf(number, decimalMarkOf(numbers, mark)));
  const values = valuesBy(usual);
  // A mark misread beside a magnitude would make the smaller of two amounts the larger one.
  const hasSeveralMagnitudes = new Set(numbers.map(({ exponent }) => exponent)).size > 1;
  const other = valuesBy(usual === '.' ? ',' : '.');
  if (hasSeveralMagnitudes && values.some((value, index) => value !== other[index])) return undefined;
  const next = values.values();
  return { unit: numbers[0]?.unit ?? '', values: cells.map((cell) => (cell ? (next.next().value ?? null) : null)) };
}

const months =
  'jan|feb|mar|mär|maer|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fév|fev|avr|aoû|déc';
const stepInTime = new RegExp(
  `^(?:(?:week|woche|semaine|semana|day|tag|jour|día|month|monat|mois|mes|year|jahr|année|año|sprint|kw|w|第)\\s*\\d+.*` +
    `|[qt][1-4](?:\\D.*)?|\\d{4}|\\d{4}[-/.]\\d{1,2}.*|\\d{1,2}[-/]\\d{1,2}.*|\\d{1,2}\\.\\s?\\d{1,2}\\..*|(?:${months})\\p{L}*\\.?(?:\\s.*)?|\\d{1,4}[年月日週].*)$`,
  'iu',
);

function isStepInTime(label: string): boolean {
  return stepInTime.test(label);
}
