import { matchesAt } from './flanking.ts';

/*
 * Marks at the start of a line that Markdown would read as syntax, although they are part of the text: the sign of a comparison or of
 * a number, and the day of a date. They are replaced with noncharacters of Unicode while blocks are parsed, and put back afterwards.
 */

const blockMarks = '>+-.)';
const firstStandIn = 0xfdd0;
const standIns = new RegExp(`[\\u{fdd0}-\\u{${(firstStandIn + blockMarks.length - 1).toString(16)}}]`, 'gu');

function standInFor(mark: string): string {
  return String.fromCharCode(firstStandIn + blockMarks.indexOf(mark));
}

export function restoreLiteralMarks(text: string): string {
  return text.replace(standIns, (standIn) => blockMarks.charAt(standIn.charCodeAt(0) - firstStandIn));
}

const wideSpace = '[\\u00a0\\u2002-\\u200a\\u202f\\u3000]';

/** The start of a number, which can have a sign, a currency and a leading decimal mark. */
const number = '(?:[-+−±~≈] ?)?(?:\\p{Sc} ?|[A-Z]{2,3}\\$? ?)?[.,]?\\p{Nd}';

const comparison = new RegExp(`>(?:=|\\p{Sc}|${number})`, 'uy');
const spacedComparison = new RegExp(`>[ \\t]+${number}`, 'uy');
const amount = '(?:\\p{Sc} ?)?\\p{Nd}';
const signedNumber = new RegExp(`[-+][ \\t]+${amount}`, 'uy');
const bullet = new RegExp(`[-+*](?:[ \\t]+|$|${wideSpace}(?=\\S)(?!${amount}))`, 'uy');
const itemNumber = /(\d{1,9})([.)])(?:[ \t]+|$)/y;
const headingMark = new RegExp(`#{1,6}${wideSpace}`, 'uy');

/**
 * Replaces the marks that are text, and the wide space after a heading mark or a bullet, where Markdown requires an ordinary space.
 * The result has as many lines and characters as `text`. `continuesList` is true if `text` starts with another item of a bulleted list.
 */
export function replaceLiteralMarks(text: string, continuesList = false): string {
  const lines = text.split('\n');
  const isComparison = comparisonsIn(lines);
  const isSigned = signedNumbersIn(lines, continuesList);
  /** The number of quotations that enclose the previous line. */
  let depth = 0;
  return lines
    .map((line, index) => {
      const read = readLineStart(line, {
        enclosing: depth,
        isComparison: isComparison[index] === true,
        isSigned: isSigned[index] === true,
      });
      depth = read.depth;
      return read.line;
    })
    .join('\n');
}

type Surroundings = { enclosing: number; isComparison: boolean; isSigned: boolean };

function readLineStart(line: string, surroundings: Surroundings): { line: string; depth: number } {
  let position = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  let depth = 0;
  let isInItem = false;
  const matches = (pattern: RegExp) => {
    pattern.lastIndex = position;
    return pattern.exec(line);
  };
  const replaced = (at: number, by: string) => ({ line: line.slice(0, at) + by + line.slice(at + 1), depth });
  const literal = (at: number) => replaced(at, standInFor(line.charAt(at)));

  for (;;) {
    const mark = line.charAt(position);
    if (mark === '>') {
      const isQuoted = !isInItem && depth < surroundings.enclosing;
      if (!isQuoted && matches(comparison)) return literal(position);
      const isText = isInItem || depth > 0 || surroundings.isComparison;
      if (!isQuoted && isText && matches(spacedComparison)) return literal(position);
      depth += 1;
      isInItem = false;
      position += 1 + (/^[ \t]*/.exec(line.slice(position + 1))?.[0].length ?? 0);
      continue;
    }
    const isSign = mark === '+' || isInItem || surroundings.isSigned;
    if (isSign && matches(signedNumber)) return literal(position);
    const found = matches(bullet);
    if (found) {
      if (/[^ \t]$/.test(found[0].slice(1))) return replaced(position + 1, ' ');
      position += found[0].length;
      isInItem = true;
      continue;
    }
    const [, digits = '', delimiter = ''] = matches(itemNumber) ?? [];
    if (delimiter === '') break;
    if (isInItem || /^0\d/.test(digits)) return literal(position + digits.length);
    position = itemNumber.lastIndex;
    isInItem = true;
  }
  if (matches(headingMark)) return replaced(headingMark.lastIndex - 1, ' ');
  return { line, depth };
}

/** A quotation can start with a number, so a line is a comparison only if all quoted lines directly after it are. */
function comparisonsIn(lines: readonly string[]): boolean[] {
  const found: boolean[] = [];
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]?.trimStart() ?? '';
    const startsQuotation = found[index + 1] === false && lines[index + 1]?.trimStart().startsWith('>');
    found[index] = matchesAt(comparison, line, 0) || (matchesAt(spacedComparison, line, 0) && !startsQuotation);
  }
  return found;
}

/** Only this many lines are searched for a plus, so that a long list is not parsed again while it grows. */
const maxSignedLines = 40;

/** Adjacent lines that start with a sign and a number are not a list if one of the signs is a plus. */
function signedNumbersIn(lines: readonly string[], continuesList: boolean): boolean[] {
  const found: boolean[] = [];
  while (found.length < lines.length) {
    const start = found.length;
    const indent = signedIndent(lines[start]);
    let end = start + 1;
    while (indent !== undefined && signedIndent(lines[end]) === indent) end += 1;
    const hasPlus = lines
      .slice(start, Math.min(end, start + maxSignedLines))
      .some((line) => line.charAt(indent ?? 0) === '+');
    const isSigned = indent !== undefined && hasPlus && !(start === 0 && continuesList);
    while (found.length < end) found.push(isSigned);
  }
  return found;
}

function signedIndent(line = ''): number | undefined {
  const written = line.trimStart();
  return matchesAt(signedNumber, written, 0) ? line.length - written.length : undefined;
}

/**
 * Returns the index of the first item that more text can still change. A later plus would turn all items at the end that look like
 * signed numbers into text, which would continue the item before them, so the index is that item's. Returns undefined if all items
 * look like signed numbers, so that the whole list can become text, and the index of the last item if `maxSignedLines` or more do.
 */
export function firstUndecidedItem(items: readonly { start: number }[], text: string): number | undefined {
  const last = items.length - 1;
  const isSigned = (index: number) => {
    const written = text.slice(items[index]?.start, items[index + 1]?.start);
    return signedIndent(written) !== undefined && (index === last || /^[^\r\n]*(?:\r\n?|\n)?$/.test(written));
  };
  let index = last;
  while (index >= 0 && last - index < maxSignedLines && isSigned(index)) index -= 1;
  if (last - index >= maxSignedLines) return last;
  return index === -1 ? undefined : index;
}
