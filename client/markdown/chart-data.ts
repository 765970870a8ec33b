import type { Cell, Table } from './nodes.ts';
import {
  type DecimalMark,
  decimalMarkIn,
  hasEastAsianMagnitude,
  numberOf,
  type ParsedNumber,
  readNumber,
} from './read-number.ts';
import { cellText } from './table-text.ts';

/** A column of numbers with a single unit. A value is null if the cell has no number. */
export type NumberColumn = {
  name: string;
  unit: string;
  isUnitFirst: boolean;
  /** Whether a space separates the number from the unit behind it. */
  isUnitSpaced: boolean;
  values: readonly (number | null)[];
};

/** `isTime` if the rows are steps in time, which are drawn as lines; otherwise bars. */
export type ChartData = { labels: readonly string[]; isTime: boolean; columns: readonly NumberColumn[] };

/** A chart of more rows is unreadable. */
const maxRows = 1000;
/** More colors cannot be distinguished. */
export const maxChosen = 5;
/** Beside a column that is larger by more than this factor, the values of a column are too short to read. */
const largestRatio = 10;

/**
 * Returns the columns with measured values, and the labels of the rows. Leaves out rows of totals and averages, and columns that
 * number or date the rows. Returns undefined if there is nothing to compare. `defaultMark` decides how ambiguous numbers are read.
 */
export function chartDataOf(table: Table, defaultMark: DecimalMark): ChartData | undefined {
  const { head } = table;
  if (table.rows.length > maxRows) return undefined;
  const names = head.map(cellText);
  const rows = withoutTotals(table.rows.map(({ cells }) => head.map((_, column) => textIn(cells[column]))));
  const texts = head.map((_, column) => rows.map((row) => row[column] ?? ''));
  const numbersByColumn = texts.map((column) => column.flatMap((text) => readNumber(text) ?? []));
  const known = numbersByColumn.flat();
  // If one cell has 12.5, then 1,000 in another one is a thousand.
  const markInTable =
    known.map(decimalMarkIn).find((mark) => mark !== undefined) ??
    numbersByColumn.map(markOfThousands).find((mark) => mark !== undefined);
  const columns = texts.map((column) => columnOf(column, markInTable, defaultMark));
  const first = texts[0] ?? [];
  const isTime = (column: readonly string[] = []) => column.length > 2 && column.every((text) => stepInTime.test(text));
  const isDated = isTime(first) || first.every((text) => /\p{L}/u.test(text) && stepInTime.test(text));
  const firstWords = texts.findIndex((column, index) => !columns[index] && column.some(Boolean));
  const labelColumn = isDated || (firstWords === -1 && columns.length > 1) ? 0 : firstWords;
  const labels = texts[labelColumn] ?? rows.map((_, index) => `${index + 1}`);
  if (haveSeveralUnits(labels, names, texts)) return undefined;
  const measures = columns.map((column, index): NumberColumn | undefined => {
    const name = names[index] ?? '';
    return column && !isIndex(name, texts[index] ?? [], index) ? { name, ...column } : undefined;
  });
  // Columns before the labels come last.
  const ordered = [...measures.slice(labelColumn + 1), ...measures.slice(0, Math.max(0, labelColumn))];
  const chartable = ordered.filter((column) => column !== undefined);
  return known.length > 1 && chartable.length > 0 ? { labels, isTime: isTime(labels), columns: chartable } : undefined;
}

function textIn(cell: Cell | undefined): string {
  return cell ? cellText(cell) : '';
}

/** Returns whether the rows have different units, either in their labels (`Cost (€)`) or in a unit column. */
function haveSeveralUnits(labels: readonly string[], heads: readonly string[], texts: readonly (readonly string[])[]) {
  const ofLabels = new Set(labels.map(unitInName));
  const ofColumn = new Set(texts[heads.findIndex((head) => unitHead.test(head.trim()))]?.map(stemOf));
  return ofColumn.size > 1 || (ofLabels.size > 1 && [...ofLabels].some((unit) => commonUnit.test(unit)));
}

const unitHead = /^(?:units?|uom|unit of measure|einheit|unités?|unidad|unità|eenheid|単位|单位|單位|단위|ال?وحدة)$/iu;

/** Other words in parentheses, such as `North (old)`, are not units. */
const commonUnit =
  /^(?:[kmbt]?\p{Sc}[kmb]?|[%‰]|ppm|eur|usd|gbp|chf|jpy|fte|kwh|mwh|kg|km|m[²³]?|t|h|min|s|hours?|hrs?|days?|weeks?|months?|years?|stunden?|tage?|wochen?|monate?|heures?|jours?|semaines?|mois|horas?|días?|semanas?|meses|pcs|units?|stk|stück|日|時間|週|円|件|台|人|個|يوم|أيام|ساعات?)$/iu;

/** A total among its parts would make all other bars short. */
function withoutTotals(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const parts = rows.filter((row) => {
    const name = row.find((text) => text !== '' && readNumber(text) === undefined) ?? '';
    return name.length > maxTotalCharacters || !totalName.test(name);
  });
  return parts.length > 1 ? parts : rows;
}

const maxTotalCharacters = 30;

const totalName =
  /^[\s\p{P}Σ∑]*(?:(?:grand|sub|overall)?[\s-]*totals?|totaux|(?:sub[\s-]?)?sum|(?:zwischen|gesamt)?summe|gesamt|insgesamt|(?:sous-)?total(?: général)?|somme|(?:sub)?total(?:es)?(?: general)?|suma|totale(?: generale)?|totaal|всего|итого|average|mean|durchschnitt|mittelwert|moyenne|promedio|media|(?:総|小)?(?:合計|計)|[总總小]?[计計]|合[计計]|平均(?:値|值)?|(?:합|총|소)계|총합|평균|ال?مجموع(?: الكلي)?|ال?إجمالي|ال?متوسط|कुल|योग|Σ|∑|Ø)(?:\s+\d{4}|\s*[(（].*)?[\s\p{P}]*$/iu;

/** Headings of columns that number, rank or date the rows. */
const indexName =
  /^(?:#|№|no|nos|nr|n[º°]|num|number|id|rank|ranking|rang|pos|position|place|platz|index|numéro|nummer|número|puesto|year|jahr|année|an|año|番号|順位|序号|序號|编号|編號|排名|번호|순위|연도|年|年度|年份|م|رقم|الرقم|الترتيب|السنة|سنة)\.?$/iu;

/** Returns whether a column only numbers or dates the rows. */
function isIndex(name: string, texts: readonly string[], column: number): boolean {
  const isWhole = texts.every((text) => /^\p{Nd}{1,9}\.?$/u.test(text));
  if (!isWhole) return false;
  const numbers = texts.map((text) => readNumber(text.replace('.', ''))?.digits);
  const [start] = numbers;
  const counts = start !== undefined && numbers.every((number, row) => Number(number) === Number(start) + row);
  return indexName.test(name.trim()) || (column === 0 && counts && Number(start) <= 1);
}

/** Returns the initial columns: the first one, and those that measure the same and fit on its axis. */
export function defaultColumns(columns: readonly NumberColumn[]): readonly NumberColumn[] {
  const [first] = columns;
  const sizeOf = ({ values }: NumberColumn) => Math.max(...values.map((value) => Math.abs(value ?? 0)));
  const fits = (column: NumberColumn) => {
    const [smaller = 0, larger = 0] = [...columns.slice(0, 1), column].map(sizeOf).sort((one, other) => one - other);
    return smaller === 0 || larger <= largestRatio * smaller;
  };
  return columns
    .filter((column) => column === first || (first && isSameQuantity(first, column) && fits(column)))
    .slice(0, maxChosen);
}

/** Adds or removes `column`. A column with another unit replaces the chosen ones. */
export function toggleColumn(
  columns: readonly NumberColumn[],
  chosen: readonly NumberColumn[],
  column: NumberColumn,
): readonly NumberColumn[] {
  if (chosen.includes(column)) return chosen.filter((other) => other !== column);
  return columns.filter((other) => other === column || (chosen.includes(other) && unitOf(other) === unitOf(column)));
}

const unitOf = ({ unit, name }: NumberColumn) => stemOf(unit) || unitInName(name);

/** Returns whether two columns have the same unit. Without a unit, their names decide. */
function isSameQuantity(one: NumberColumn, other: NumberColumn): boolean {
  if (unitOf(one) !== unitOf(other)) return false;
  if (unitOf(one) !== '') return true;
  if (stepInTime.test(one.name) && stepInTime.test(other.name)) return true;
  return lastWord(one.name) !== undefined && lastWord(one.name) === lastWord(other.name);
}

/** Returns the unit in `Cost (€)`, `Lead time [days]` or `Share, %`. */
function unitInName(name: string): string {
  const found = /[([（［]([^()[\]（）［］]{1,20})[)\]）］]\s*$/u.exec(name) ?? /[\s,/]([%‰\p{Sc}])\s*$/u.exec(name);
  return stemOf(found?.[1]?.trim() ?? '');
}

/** Returns the noun in names such as `Planned cost` and `Cost 2025`. */
function lastWord(name: string): string | undefined {
  return name
    .toLowerCase()
    .match(/[\p{L}\p{M}]{3,}/gu)
    ?.at(-1);
}

/** `week` and `weeks` are the same unit. */
const stemOf = (unit: string) => unit.replace(/(?<=\p{L}{2})(?:e[ns]?|[ns])$/u, '');

/**
 * Returns the decimal mark of a column in which `1,240` is beside `980`: as decimals, they would differ by a factor of a thousand,
 * so the mark before three digits separates thousands. Returns undefined for other columns, and with magnitudes such as `k`.
 */
function markOfThousands(numbers: readonly ParsedNumber[]): DecimalMark | undefined {
  if (numbers.some(({ exponent }) => exponent !== 0)) return undefined;
  const hasThreeDigits = numbers.some(({ digits }) => /^[1-9]\d\d$/.test(digits));
  const separators = numbers.flatMap(({ digits }) => /^\d{1,3}([.,])\d{3}$/.exec(digits)?.[1] ?? []);
  if (!hasThreeDigits || separators.length === 0) return undefined;
  return separators[0] === ',' ? '.' : ',';
}

/**
 * Reads the numbers of a column. Returns undefined if it has more words than numbers, or several units, where a zero needs none.
 * `markInTable` is the decimal mark that the other numbers of the table imply.
 */
function columnOf(texts: readonly string[], markInTable: DecimalMark | undefined, defaultMark: DecimalMark) {
  const cells = texts.map(readNumber);
  const numbers = cells.filter((number) => number !== undefined);
  const withUnit = numbers.filter(({ unit, digits }) => unit !== '' || /[1-9]/.test(digits));
  const isMostlyWords = numbers.length === 0 || 2 * numbers.length < texts.filter(Boolean).length;
  if (isMostlyWords || new Set(withUnit.map(({ unit }) => stemOf(unit))).size > 1) return undefined;
  // An amount with two magnitudes, such as 1億2000万, cannot be parsed and would be missing from the chart.
  if (texts.some((text, row) => cells[row] === undefined && hasEastAsianMagnitude(text))) return undefined;
  const mark = numbers.map(decimalMarkIn).find((own) => own !== undefined) ?? markInTable;
  // The column is not charted: with suffixes such as `k`, a misread decimal mark could make the smaller of two amounts the larger
  // one.
  const hasMagnitudes = new Set(numbers.map(({ exponent }) => exponent)).size > 1;
  if (mark === undefined && hasMagnitudes && numbers.some(({ digits }) => /[.,]/.test(digits))) return undefined;
  const values = cells.map((number) =>
    number ? numberOf(number, decimalMarkIn(number) ?? mark ?? defaultMark) : null,
  );
  const units = withUnit.map(({ unit }) => unit).toSorted((one, other) => other.length - one.length);
  const { isUnitFirst = false, isUnitSpaced = false } = withUnit[0] ?? {};
  return { unit: units[0] ?? '', isUnitFirst, isUnitSpaced, values };
}

const months =
  'jan|feb|mar|mär|maer|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fév|fev|avr|aoû|déc';
const stepInTime = new RegExp(
  `^(?:(?:week|woche|semaine|semana|day|tag|jour|día|month|monat|mois|mes|year|jahr|année|año|sprint|kw|w|第)\\s*\\d+.*` +
    `|[qt][1-4](?:\\D.*)?|\\d{4}|\\d{4}[-/.]\\d{1,2}.*|\\d{1,2}[-/]\\d{1,2}.*|\\d{1,2}\\.\\s?\\d{1,2}\\..*` +
    `|(?:\\d{1,2}\\.?\\s)?(?:${months})\\p{L}*\\.?(?:\\s.*)?|\\d{1,4}[年月日週周년월일주].*)$`,
  'iu',
);
