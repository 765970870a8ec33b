import { characterAfter, characterBefore, flankingOf } from './flanking.ts';
import { readFormula } from './formulas.ts';

/** What opened longer ago than this is no mark that waits for its partner, but an asterisk that means itself. */
const maxOpenCharacters = 500;

/** A formula that is still open is not shown for so long; then its marks are taken for themselves. */
const maxOpenFormulaCharacters = 200;

/** A dollar has more to mean than a formula. */
const maxOpenDollarCharacters = 30;

const marks = /\\.?|\$\$?|`+|\*+|_+|~+|\[\^[^\]\s]{0,100}(?:\]|$)|\[|\]|</gs;

/** The address of a link, whose parentheses come in pairs; and one that may still go on. */
const wholeAddress = /\((?:[^\s()]|\([^\s()]*\))*\)/y;
const openAddress = /\((?:[^\s()]|\([^\s()]*(?:\)|$))*$/y;

/** An address between angle brackets of which the second has not come: it reads the same without the first. */
const openAutolink = /<(?:https?:[^\s<>]*|https?|htt?|h)?$/y;

/** A line break in HTML that may still become whole. */
const openBreak = /<(?:b|br[ \t]*\/?)$/iy;

type Open = { mark: string; index: number };

type CloseOptions = {
  /** Whether no more text comes. Then nothing is left out but marks and addresses: no part of a formula that has no end. */
  isCut?: boolean;
};

/**
 * Closes the emphasis, code and link that are still open at the end of a growing paragraph, and leaves out marks that
 * nothing follows yet: the reader sees a bold word grow, not its asterisks. A guess, made anew as the text grows.
 */
export function closeOpenMarks(text: string, { isCut = false }: CloseOptions = {}): string {
  const open: Open[] = [];
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
    if (mark === '<') {
      openBreak.lastIndex = index;
      if (openBreak.test(text)) return finish(text.slice(0, index), open);
      openAutolink.lastIndex = index;
      if (openAutolink.test(text)) return finish(text.slice(0, index) + text.slice(index + 1), open);
      continue;
    }
    if (mark === '\\') end = index;
    if (mark.startsWith('$')) continue;
    if (mark.startsWith('[^')) {
      // The mark of a footnote, which is shown once it is whole.
      if (!mark.endsWith(']')) return finish(text.slice(0, index), open);
      continue;
    }
    if (mark.startsWith('\\')) continue;
    if (mark.startsWith('`')) {
      const codeEnd = endOfCode(text, mark, marks.lastIndex);
      if (codeEnd !== undefined) marks.lastIndex = codeEnd;
      else if (!isOld) return finish(closeCode(text, mark, index), open);
    } else if (mark === '[') {
      if (!isOld) open.push({ mark, index });
    } else if (mark === ']') {
      const bracket = open.findLastIndex((other) => other.mark === '[');
      if (bracket === -1) continue;
      const linkEnd = endOfLink(text, index);
      if (linkEnd === undefined) return finish(text.slice(0, index), open);
      open.splice(bracket);
      marks.lastIndex = linkEnd;
    } else if (mark !== '~' || marks.lastIndex === text.length) {
      const rest = takeEmphasis(text, { mark, index }, open, isOld);
      if (rest > 0 && marks.lastIndex === text.length) end = text.length - rest;
    }
  }
  return finish(text.slice(0, end), open);
}

/** Whether a formula begins at `index` whose end may still come. */
function mayBecomeFormula(text: string, mark: string, index: number): boolean {
  const openCharacters = text.length - index;
  if (mark === '\\(' || mark === '\\[' || mark === '$$') {
    return openCharacters < maxOpenFormulaCharacters && mayEnd(text.slice(index + 2));
  }
  if (mark !== '$' || openCharacters > maxOpenDollarCharacters) return false;
  return /^\$(?![\s\d$]|$)[^$]*\$?$/.test(text.slice(index)) && !/[\p{L}\p{N}]/u.test(text.charAt(index - 1));
}

/** Whether a formula can go on after `inside`: no other one begins in it. */
function mayEnd(inside: string): boolean {
  return !/\\[()[\]]|\$\$./s.test(inside);
}

function finish(text: string, open: readonly Open[]): string {
  const closed = open
    .toReversed()
    .reduce((result, { mark }) => (mark === '[' ? result : result + mark), text.trimEnd());
  const bracket = open.findLast(({ mark }) => mark === '[')?.index;
  if (bracket === undefined) return closed;
  const isImage = text.charAt(bracket - 1) === '!';
  return closed.slice(0, isImage ? bracket - 1 : bracket) + closed.slice(bracket + 1);
}

/** Where the code that `run` opened ends, or undefined where it does not: a run of exactly as many backticks closes it. */
function endOfCode(text: string, run: string, from: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let found = runs.exec(text); found !== null; found = runs.exec(text)) {
    if (found[0] === run) return runs.lastIndex;
  }
  return undefined;
}

/** The text with its last, open code closed, or without the mark where no code follows it yet. */
function closeCode(text: string, run: string, index: number): string {
  const code = text.slice(index + run.length).replace(/\s*`*$/, '');
  return text.slice(0, index) + (code === '' ? '' : run + code + run);
}

/** Where the link ends whose label is closed at `index`, or undefined where its address has not arrived whole. */
function endOfLink(text: string, index: number): number | undefined {
  const start = index + 1;
  if (start === text.length) return undefined;
  if (text.charAt(start) !== '(') return start;
  wholeAddress.lastIndex = start;
  if (wholeAddress.test(text)) return wholeAddress.lastIndex;
  openAddress.lastIndex = start;
  if (openAddress.test(text)) return undefined;
  const end = text.indexOf(')', start);
  return end === -1 ? undefined : end + 1;
}

/** Closes what a run of `*`, `_` or `~~` can close, opens what is left of it, and returns how much neither could. */
function takeEmphasis(text: string, { mark, index }: Open, open: Open[], isOld: boolean): number {
  const { canOpen, canClose } = flankingOf(
    mark,
    characterBefore(text, index),
    characterAfter(text, index + mark.length),
  );

  let rest = mark;
  while (canClose && rest !== '') {
    const partner = open.findLastIndex((other) => other.mark.startsWith(mark.charAt(0)));
    const opener = open[partner];
    if (opener === undefined) break;
    open.splice(partner);
    if (opener.mark.length > rest.length) open.push({ ...opener, mark: opener.mark.slice(rest.length) });
    rest = rest.slice(opener.mark.length);
  }
  if (rest === '' || !canOpen || isOld) return rest.length;
  open.push({ mark: rest, index });
  return 0;
}
