import type { Cell, Table } from './nodes.ts';
import { type DecimalMark, decimalMarkIn, hasEastAsianMagnitude, numberOf, readNumber } from './read-number.ts';
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
 * The columns of measures of a table, and the column that names its rows. The rows of totals and averages are left out, and so
 * are columns that number or date the rows. Undefined where nothing can be compared. `usual` decides how an ambiguous number is read.
 */
export function chartDataOf(table: Table, usual: DecimalMark): ChartData | undefined {
  const { head } = table;
  if (table.rows.length > maxRows) return undefined;
  const names = head.map(cellText);
  const rows = withoutTotals(table.rows.map(({ cells }) => head.map((_, column) => textIn(cells[column]))));
  const texts = head.map((_, column) => rows.map((row) => row[column] ?? ''));
  const known = texts.flatMap((column) => column.flatMap((text) => readNumber(text) ?? []));
  // Someone who writes 12.5 in one place means a thousand by 1,000 in another.
  const told = known.map(decimalMarkIn).find((mark) => mark !== undefined);
  const columns = texts.map((column) => columnOf(column, told, usual));
  const first = texts[0] ?? [];
  const isTime = (column: readonly string[] = []) => column.length > 2 && column.every((text) => stepInTime.test(text));
  const isDated = isTime(first) || first.every((text) => /\p{L}/u.test(text) && stepInTime.test(text));
  const named = texts.findIndex((column, index) => !columns[index] && column.some(Boolean));
  const naming = isDated || (named === -1 && columns.length > 1) ? 0 : named;
  const labels = texts[naming] ?? rows.map((_, index) => `${index + 1}`);
  if (haveSeveralUnits(labels, names, texts)) return undefined;
  const measures = columns.map((column, index): NumberColumn | undefined => {
    const name = names[index] ?? '';
    return column && !isIndex(name, texts[index] ?? [], index) ? { name, ...column } : undefined;
  });
  // Columns in front of the names come last.
  const ordered = [...measures.slice(naming + 1), ...measures.slice(0, Math.max(0, naming))];
  const chartable = ordered.filter((column) => column !== undefined);
  return known.length > 1 && chartable.length > 0 ? { labels, isTime: isTime(labels), columns: chartable } : undefined;
}

function textIn(cell: Cell | undefined): string {
  return cell ? cellText(cell) : '';
}

/** Whether the rows are measured in different units, by their names, such as `Cost (€)`, or by a column of units. */
function haveSeveralUnits(labels: readonly string[], heads: readonly string[], texts: readonly (readonly string[])[]) {
  const ofLabels = new Set(labels.map(unitInName));
  const ofColumn = new Set(texts[heads.findIndex((head) => unitHead.test(head.trim()))]?.map(stemOf));
  return ofColumn.size > 1 || (ofLabels.size > 1 && [...ofLabels].some((unit) => commonUnit.test(unit)));
}

const unitHead = /^(?:units?|uom|unit of measure|einheit|unités?|unidad|unità|eenheid|単位|单位|單位|단위|ال?وحدة)$/iu;

/** Other words in brackets, as in `North (old)`, are no units. */
const commonUnit =
  /^(?:[kmbt]?\p{Sc}[kmb]?|[%‰]|ppm|eur|usd|gbp|chf|jpy|fte|kwh|mwh|kg|km|m[²³]?|t|h|min|s|hours?|hrs?|days?|weeks?|months?|years?|stunden?|tage?|wochen?|monate?|heures?|jours?|semaines?|mois|horas?|días?|semanas?|meses|pcs|units?|stk|stück|日|時間|週|円|件|台|人|個|يوم|أيام|ساعات?)$/iu;

/** The rows without those that sum up the others. A total among its parts would make every other bar short. */
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

/** Names of columns that number, order or date the rows. */
const indexName =
  /^(?:#|№|no|nos|nr|n[º°]|num|number|id|rank|ranking|rang|pos|position|place|platz|index|numéro|nummer|número|puesto|year|jahr|année|an|año|番号|順位|序号|序號|编号|編號|排名|번호|순위|연도|年|年度|年份|م|رقم|الرقم|الترتيب|السنة|سنة)\.?$/iu;

/** Whether a column only counts or numbers the rows: it measures nothing. */
function isIndex(name: string, texts: readonly string[], column: number): boolean {
  const isWhole = texts.every((text) => /^\p{Nd}{1,9}\.?$/u.test(text));
  if (!isWhole) return false;
  const numbers = texts.map((text) => readNumber(text.replace('.', ''))?.digits);
  const [start] = numbers;
  const counts = start !== undefined && numbers.every((number, row) => Number(number) === Number(start) + row);
  return indexName.test(name.trim()) || (column === 0 && counts && Number(start) <= 1);
}

/** The columns that are shown at first: the first one, and those that measure the same and can stand on its axis. */
export function firstChoice(columns: readonly NumberColumn[]): readonly NumberColumn[] {
  const [first] = columns;
  const sizeOf = ({ values }: NumberColumn) => Math.max(...values.map((value) => Math.abs(value ?? 0)));
  const fits = (column: NumberColumn) => {
    const [smaller = 0, larger = 0] = [...columns.slice(0, 1), column].map(sizeOf).sort((one, other) => one - other);
    return smaller === 0 || larger <= largestRatio * smaller;
  };
  return columns
    .filter((column) => column === first || (first && measuresTheSame(first, column) && fits(column)))
    .slice(0, maxChosen);
}

/** The chosen columns after `column` has been added or removed. A column of another unit replaces the others. */
export function toggleColumn(
  columns: readonly NumberColumn[],
  chosen: readonly NumberColumn[],
  column: NumberColumn,
): readonly NumberColumn[] {
  if (chosen.includes(column)) return chosen.filter((other) => other !== column);
  return columns.filter((other) => other === column || (chosen.includes(other) && unitOf(other) === unitOf(column)));
}

/** The unit of a column, in its cells or in its name. */
const unitOf = ({ unit, name }: NumberColumn) => stemOf(unit) || unitInName(name);

/** Whether two columns have the same unit. Without a unit, their names decide. */
function measuresTheSame(one: NumberColumn, other: NumberColumn): boolean {
  if (unitOf(one) !== unitOf(other)) return false;
  if (unitOf(one) !== '') return true;
  if (stepInTime.test(one.name) && stepInTime.test(other.name)) return true;
  return lastWord(one.name) !== undefined && lastWord(one.name) === lastWord(other.name);
}

/** The unit in `Cost (€)`, `Lead time [days]` or `Share, %`. */
function unitInName(name: string): string {
  const found = /[([（［]([^()[\]（）［］]{1,20})[)\]）］]\s*$/u.exec(name) ?? /[\s,/]([%‰\p{Sc}])\s*$/u.exec(name);
  return stemOf(found?.[1]?.trim() ?? '');
}

/** The noun in `Planned cost`, `Cost 2025` and the like. */
function lastWord(name: string): string | undefined {
  return name
    .toLowerCase()
    .match(/[\p{L}\p{M}]{3,}/gu)
    ?.at(-1);
}

/** One week, two weeks: the same unit. */
const stemOf = (unit: string) => unit.replace(/(?<=\p{L}{2})(?:e[ns]?|[ns])$/u, '');

/**
 * The numbers of a column; undefined where it has more words than numbers, or several units. A zero needs none. `told` is the
 * decimal mark that other numbers of the table have.
 */
function columnOf(texts: readonly string[], told: DecimalMark | undefined, usual: DecimalMark) {
  const cells = texts.map(readNumber);
  const numbers = cells.filter((number) => number !== undefined);
  const named = numbers.filter(({ unit, digits }) => unit !== '' || /[1-9]/.test(digits));
  const isMostlyWords = numbers.length === 0 || 2 * numbers.length < texts.filter(Boolean).length;
  if (isMostlyWords || new Set(named.map(({ unit }) => stemOf(unit))).size > 1) return undefined;
  // An amount of two magnitudes would be missing among those of one.
  if (texts.some((text, row) => cells[row] === undefined && hasEastAsianMagnitude(text))) return undefined;
  const mark = numbers.map(decimalMarkIn).find((own) => own !== undefined) ?? told;
  // A mark misread beside a magnitude would make the smaller of two amounts the larger one.
  const hasMagnitudes = new Set(numbers.map(({ exponent }) => exponent)).size > 1;
  if (mark === undefined && hasMagnitudes && numbers.some(({ digits }) => /[.,]/.test(digits))) return undefined;
  const values = cells.map((number) => (number ? numberOf(number, decimalMarkIn(number) ?? mark ?? usual) : null));
  const units = named.map(({ unit }) => unit).toSorted((one, other) => other.length - one.length);
  return { unit: units[0] ?? '', isUnitFirst: named[0]?.isUnitFirst ?? false, values };
}

const months =
  'jan|feb|mar|mär|maer|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fév|fev|avr|aoû|déc';
const stepInTime = new RegExp(
  `^(?:(?:week|woche|semaine|semana|day|tag|jour|día|month|monat|mois|mes|year|jahr|année|año|sprint|kw|w|第)\\s*\\d+.*` +
    `|[qt][1-4](?:\\D.*)?|\\d{4}|\\d{4}[-/.]\\d{1,2}.*|\\d{1,2}[-/]\\d{1,2}.*|\\d{1,2}\\.\\s?\\d{1,2}\\..*` +
    `|(?:\\d{1,2}\\.?\\s)?(?:${months})\\p{L}*\\.?(?:\\s.*)?|\\d{1,4}[年月日週周년월일주].*)$`,
  'iu',
);
