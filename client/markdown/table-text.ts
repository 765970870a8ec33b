import { type Cell, inlineText, type Table } from './nodes.ts';
import { readNumber } from './read-number.ts';

/**
 * The table as tab-separated lines, which a spreadsheet puts into cells. A cell that has several lines or begins with a quote
 * is quoted, as in a file.
 */
export function tableTsv(table: Table): string {
  const cell = (text: string) => {
    const lines = guardedLines(text).map((line) => line.trim().replace(/\s+/g, ' '));
    const whole = lines.join('\n');
    return /^"|\n/.test(whole) ? inQuotes(whole) : whole;
  };
  return textsOf(table)
    .map((cells) => cells.map(cell).join('\t'))
    .join('\n');
}

/** The table as a file of comma-separated values (RFC 4180), with the mark by which spreadsheets know UTF-8. */
export function tableCsv(table: Table): string {
  const cell = (text: string) => {
    const guarded = formulaGuard(text) + text;
    return /[",\r\n]/.test(guarded) ? inQuotes(guarded) : guarded;
  };
  return `\uFEFF${textsOf(table)
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')}`;
}

/** The table as HTML, which spreadsheets prefer to plain text, and some make a cell of each line. */
export function tableHtml(table: Table): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const rows = textsOf(table).map((cells, row) => {
    const tag = row === 0 ? 'th' : 'td';
    return `<tr>${cells.map((text) => `<${tag}>${guardedLines(text).map(escaped).join('<br>')}</${tag}>`).join('')}</tr>`;
  });
  return `<table border="1">${rows.join('')}</table>`;
}

/** What a cell says: no marks, no addresses. */
export function cellText({ children }: Cell): string {
  return inlineText(children).trim();
}

function textsOf({ head, rows }: Table): string[][] {
  return [head, ...rows.map(({ cells }) => cells)].map((cells) => cells.map((cell) => spreadsheetText(cellText(cell))));
}

/** A number with the minus sign of ASCII: spreadsheets take any other for text. */
function spreadsheetText(text: string): string {
  const hasOtherMinus = /[\u2212\u2013\uFF0D]/.test(text);
  return hasOtherMinus && readNumber(text) !== undefined ? text.replace(/[\u2212\u2013\uFF0D]/g, '-') : text;
}

/**
 * What spreadsheets take for the beginning of a formula, which could read other cells or fetch addresses; also in full width,
 * and behind quotes, which they take off as those of a file.
 */
const formulaStart = /^["\s]*[=+\-@＝＋－＠]|^"*[\t\r]/;

/** One sign, one number and its unit; nothing with which a formula goes on. */
const signedNumber = /^[-+−–]?\s*\p{Sc}?\s*\d[\d.,'’\s]*(?:[%‰]|\p{L}{1,6}\.?\s?\p{Sc}?|\p{Sc})?$/u;

/** The apostrophe that goes before what a spreadsheet would run; nothing before a number, so that it stays one. */
function formulaGuard(text: string): string {
  const isNumber = text.length <= maxNumberCharacters && signedNumber.test(text);
  return formulaStart.test(text) && !isNumber ? "'" : '';
}

/** A longer text is no number. */
const maxNumberCharacters = 60;

function guardedLines(text: string): string[] {
  return text.split('\n').map((line) => formulaGuard(line) + line);
}

function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
