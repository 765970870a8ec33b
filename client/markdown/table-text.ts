import { inlineText } from './inline-text.ts';
import type { Cell, Table } from './nodes.ts';
import { readNumber } from './read-number.ts';

/**
 * What spreadsheets take for the beginning of a formula, which could read other cells or fetch addresses; also in full width,
 * and behind quotes, which they take off as those of a file.
 */
const formulaStart = /^["\s]*[=+\-@＝＋－＠]|^"*[\t\r]/;

/**
 * The table as tab-separated lines, which a spreadsheet puts into cells. A cell that has several lines or begins with a quote
 * is quoted, as in a file.
 */
export function tableTsv(table: Table): string {
  return linesOf(table)
    .map((cells) => cells.map((cell) => tsvCell(`${formulaGuard(cell)}${cell}`)).join('\t'))
    .join('\n');
}

/** The table as a file of comma-separated values (RFC 4180), with the mark by which spreadsheets know UTF-8. */
export function tableCsv(table: Table): string {
  const lines = linesOf(table).map((cells) => cells.map((cell) => quoted(`${formulaGuard(cell)}${cell}`)).join(','));
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}

function tsvCell(cell: string): string {
  const text = cell.replace(/[^\S\n]+/g, ' ').replace(/ *\n */g, '\n');
  return text.startsWith('"') || text.includes('\n') ? quoted(text) : text;
}

function linesOf({ head, rows }: Table): string[][] {
  return [head, ...rows.map(({ cells }) => cells)].map((cells) => cells.map(cellText));
}

/** What a cell says: no marks, no addresses. */
export function cellText({ children }: Cell): string {
  return inlineText(children).trim();
}

/** The apostrophe that goes before what a spreadsheet would run; nothing before a number, so that it stays one. */
export function formulaGuard(cell: string): string {
  return formulaStart.test(cell) && readNumber(cell) === undefined ? "'" : '';
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
