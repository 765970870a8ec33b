import { flankingOf, matchesAt } from './flanking.ts';
import { readFormula } from './formulas.ts';

/** A mark that stays open for longer counts as a literal character. */
const maxOpenCharacters = 500;

/** An open formula is held back for at most this many characters. Then its marks are literal characters. */
const maxOpenFormulaCharacters = 200;

/** The limit for a single dollar sign is lower, because most of them are currency. */
const maxOpenDollarCharacters = 30;

/** An autolink, or a bare URL up to a mark that can end it. */
const address = /<(?:[a-z][a-z\d+.-]{1,31}:[^<>\s]*|[\w.+-]+@[\w.-]+)>|https?:\/\/[^\s<>*`()[\]]+/iy;

const marks = /\\.?|\$\$?|`+|\*+|_+|~+|\[\^[^\]\s]{0,100}(?:\]|$)|\[|\]|<|https?:/gis;

/** The `(…)` of a link: a URL whose own parentheses are balanced. */
const completeUrl = /\((?:[^\s()]|\([^\s()]*\))*\)/y;

/** A `(…` with a URL that can continue, at the end of the text. */
const openUrl = /\((?:[^\s()]|\([^\s()]*(?:\)|$))*$/y;

/** An autolink without its closing bracket. Without the opening one, it is shown as a bare URL. */
const openAutolink = /<(?:https?:[^\s<>]*|https?|htt?|h)?$/y;

const openBreak = /<(?:b|br[ \t]*\/?)$/iy;

/** `mark` is the part of a run that is still open, and `length` the length of the whole run. */
type OpenMark = { mark: string; index: number; length: number; canClose: boolean };

type CloseOptions = {
  /** Whether the text is incomplete and no more follows. Incomplete marks and URLs are left out, but an open formula is shown. */
  isCut?: boolean;
};

/**
 * Closes open emphasis, code and links at the end of a growing or cut text, and leaves out marks that no text follows yet, so that
 * readers see a growing bold word and not its asterisks. The result is a guess, and is computed again as the text grows.
 */
export function closeOpenMarks(text: string, { isCut = false }: CloseOptions = {}): string {
  let open: OpenMark[] = [];
  let end = text.length;
  marks.lastIndex = 0;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark] = found;
    const { index } = found;
    const isOld = text.length - index > maxOpenCharacters;
    const formula = readFormula(text, index);
    if (formula !== undefined) {
      marks.lastIndex = formula.end;
      continue;
    }
    if (!isCut && mayBecomeFormula(text, mark, index)) return finish(text.slice(0, index), open);
    if (/^[<h]/i.test(mark) && matchesAt(address, text, index)) {
      marks.lastIndex = address.lastIndex;
      continue;
    }
    if (mark === '<') {
      if (matchesAt(openBreak, text, index)) return finish(text.slice(0, index), open);
      if (matchesAt(openAutolink, text, index)) return finish(text.slice(0, index) + text.slice(index + 1), open);
      continue;
    }
    if (mark === '\\') end = index;
    if (/^[$h]/i.test(mark)) continue;
    if (mark.startsWith('[^')) {
      // A footnote mark is shown once it is complete.
      if (!mark.endsWith(']')) return finish(text.slice(0, index), open);
      continue;
    }
    if (mark.startsWith('\\')) continue;
    if (mark.startsWith('`')) {
      const codeEnd = endOfCode(text, mark, marks.lastIndex);
      if (codeEnd !== undefined) marks.lastIndex = codeEnd;
      else if (!isOld) return finish(closeCode(text, mark, index), open);
    } else if (mark === '[') {
      if (!isOld) open.push({ mark, index, length: 1, canClose: false });
    } else if (mark === ']') {
      const bracket = open.findLastIndex((other) => other.mark === '[');
      if (bracket === -1) continue;
      const linkEnd = endOfLink(text, index);
      if (linkEnd === undefined) return finish(text.slice(0, index), open);
      if (linkEnd === marks.lastIndex) open.splice(bracket, 1);
      else open = outsideOfLink(text, open, bracket);
      marks.lastIndex = linkEnd;
    } else if (mark !== '~' || marks.lastIndex === text.length) {
      const remaining = matchEmphasis(text, mark, index, open, isOld);
      if (remaining > 0 && marks.lastIndex === text.length) end = text.length - remaining;
    }
  }
  return finish(text.slice(0, end), open);
}

/** Returns whether an open formula, which may still be closed, starts at `index`. */
export function mayBecomeFormula(text: string, mark: string, index: number): boolean {
  const openCharacters = text.length - index;
  if (mark === '\\(' || mark === '\\[' || mark === '$$') {
    return openCharacters < maxOpenFormulaCharacters && mayContinue(text.slice(index + 2));
  }
  if (mark !== '$' || openCharacters > maxOpenDollarCharacters) return false;
  return /^\$(?![\s\d$]|$)[^$]*\$?$/.test(text.slice(index)) && !/[\p{L}\p{N}]/u.test(text.charAt(index - 1));
}

/** A formula cannot continue after a mark of another one. */
function mayContinue(inside: string): boolean {
  return !/\\[()[\]]|\$\$./s.test(inside);
}

/**
 * Closes the open marks, innermost first, and removes those that no text follows. A link without a URL shows its text. Only the last
 * open bracket is closed, because links cannot be nested.
 */
function finish(text: string, open: readonly OpenMark[]): string {
  const lastBracket = open.findLast(({ mark }) => mark === '[');
  let shown = text.trimEnd();
  let closing = '';
  for (const opener of open.toReversed()) {
    const { mark, index } = opener;
    if (mark === '[' && opener !== lastBracket) continue;
    if (shown.length <= index + mark.length)
      shown = shown.slice(0, isImage(text, opener) ? index - 1 : index).trimEnd();
    else closing += mark === '[' ? ']()' : mark;
  }
  return shown + closing;
}

function isImage(text: string, { mark, index }: OpenMark): boolean {
  return mark === '[' && text.charAt(index - 1) === '!';
}

/**
 * Returns the marks open after the link at `position`: emphasis cannot cross the end of a link, and only images can contain links.
 */
function outsideOfLink(text: string, open: readonly OpenMark[], position: number): OpenMark[] {
  const before = open.slice(0, position);
  const link = open[position];
  const isLink = link !== undefined && !isImage(text, link);
  return isLink ? before.filter((opener) => opener.mark !== '[' || isImage(text, opener)) : before;
}

/** Returns the index after the run of equally many backticks that closes the code, or undefined if there is none. */
export function endOfCode(text: string, run: string, from: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let found = runs.exec(text); found !== null; found = runs.exec(text)) {
    if (found[0] === run) return runs.lastIndex;
  }
  return undefined;
}

function closeCode(text: string, run: string, index: number): string {
  const code = text.slice(index + run.length).replace(/\s*`*$/, '');
  if (code === '') return text.slice(0, index);
  return text.slice(0, index) + run + code + (code.endsWith('`') ? ' ' : '') + run;
}

/** Returns the end of the link whose label is closed at `index`, or undefined if its URL is incomplete. */
function endOfLink(text: string, index: number): number | undefined {
  const start = index + 1;
  if (start === text.length) return undefined;
  if (text.charAt(start) !== '(') return start;
  if (matchesAt(completeUrl, text, start)) return completeUrl.lastIndex;
  if (matchesAt(openUrl, text, start)) return undefined;
  const end = text.indexOf(')', start);
  return end === -1 ? undefined : end + 1;
}

/** Closes and opens emphasis with a run of `*`, `_` or `~`. Returns the number of characters that do neither. */
function matchEmphasis(text: string, mark: string, index: number, open: OpenMark[], isOld: boolean): number {
  const { length } = mark;
  const { canOpen, canClose } = flankingOf(text, index, index + length);
  // A run at the end of the text can become longer.
  const isPair = (other: OpenMark) =>
    index + length === text.length || !(canOpen || other.canClose) || !isOddPair(other.length, length);

  let rest = mark;
  while (canClose && rest !== '') {
    const partner = open.findLastIndex((other) => other.mark.startsWith(mark.charAt(0)) && isPair(other));
    const opener = open[partner];
    if (opener === undefined) break;
    open.splice(partner);
    if (opener.mark.length > rest.length) open.push({ ...opener, mark: opener.mark.slice(rest.length) });
    rest = rest.slice(opener.mark.length);
  }
  if (rest === '' || !canOpen || isOld) return rest.length;
  open.push({ mark: rest, index, length, canClose });
  return 0;
}

/** CommonMark's rule for runs that can both open and close emphasis, such as the second one of `*a**b*`. */
function isOddPair(one: number, other: number): boolean {
  return (one + other) % 3 === 0 && (one % 3 !== 0 || other % 3 !== 0);
}
