import { type Cell, inlineText, type Table } from '../parsing/nodes.ts';
import { type DecimalMark, readNumber } from './read-number.ts';

/** Returns TSV, which spreadsheets paste into cells. Cells with several lines or a leading quote are quoted, as in CSV. */
export function tableTsv(table: Table): string {
  const cell = (text: string) => {
    const lines = guardedLines(text).map((line) => line.trim().replace(/\s+/g, ' '));
    const whole = lines.join('\n');
    return /^"|\n/.test(whole) ? quote(whole) : whole;
  };
  return textsOf(table)
    .map((cells) => cells.map(cell).join('\t'))
    .join('\n');
}

/** Returns CSV (RFC 4180) with a byte order mark, which spreadsheets need for UTF-8, and semicolons where the comma is decimal. */
export function tableCsv(table: Table, decimalMark: DecimalMark): string {
  const separator = decimalMark === ',' ? ';' : ',';
  const cell = (text: string) => {
    const guarded = formulaGuard(text) + text;
    return guarded.includes(separator) || /["\r\n]/.test(guarded) ? quote(guarded) : guarded;
  };
  return `\uFEFF${textsOf(table)
    .map((cells) => `${cells.map(cell).join(separator)}\r\n`)
    .join('')}`;
}

/** Spreadsheets prefer HTML to plain text when both are on the clipboard. */
export function tableHtml(table: Table): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const rows = textsOf(table).map((cells, row) => {
    const tag = row === 0 ? 'th' : 'td';
    return `<tr>${cells.map((text) => `<${tag}>${guardedLines(text).map(escaped).join('<br>')}</${tag}>`).join('')}</tr>`;
  });
  return `<table border="1">${rows.join('')}</table>`;
}

export function cellText({ children }: Cell): string {
  return inlineText(children).trim();
}

function textsOf({ head, rows }: Table): string[][] {
  return [head, ...rows.map(({ cells }) => cells)].map((cells) => cells.map((cell) => spreadsheetText(cellText(cell))));
}

/** Replaces the minus sign of a number with an ASCII hyphen. Spreadsheets treat a number with any other minus sign as text. */
function spreadsheetText(text: string): string {
  const hasOtherMinus = /[\u2212\u2013\uFF0D]/.test(text);
  return hasOtherMinus && readNumber(text) !== undefined ? text.replace(/[\u2212\u2013\uFF0D]/g, '-') : text;
}

/**
 * Matches text that a spreadsheet would run as a formula, which could read other cells or fetch URLs. Includes full-width
 * characters, and quotes before them, because spreadsheets remove these as CSV quotes.
 */
const formulaStart = /^["\s]*[=+\-@＝＋－＠]|^"*[\t\r]/;

/** One sign, one number and its unit, and nothing that could continue a formula. */
const signedNumber = /^[-+−–]?\s*\p{Sc}?\s*\d[\d.,'’\s]*(?:[%‰]|\p{L}{1,6}\.?\s?\p{Sc}?|\p{Sc})?$/u;

/** A cell with only such a sign, for example for "none", is not a formula. */
const loneSign = /^\s*[=+-]\s*$/;

/** Returns an apostrophe for text that a spreadsheet would run as a formula. Numbers get none, so that they stay numbers. */
export function formulaGuard(text: string): string {
  if (loneSign.test(text)) return '';
  const isNumber = text.length <= maxNumberCharacters && signedNumber.test(text);
  return formulaStart.test(text) && !isNumber ? "'" : '';
}

/** Bounds the time that `signedNumber` takes. */
const maxNumberCharacters = 60;

function guardedLines(text: string): string[] {
  return text.split('\n').map((line) => formulaGuard(line) + line);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
