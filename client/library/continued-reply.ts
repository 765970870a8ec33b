import { isBlank } from '../../shared/messages.ts';
import type { Turn } from '../chat/turn.ts';

/** Caches joined turns, so that an unchanged turn stays the same object. */
const joinedTurns = new WeakMap<Turn, { continuation: Turn; joined: Turn }>();

/**
 * Joins each turn of a path with its continuations into one turn. It has the ids of the first and the ending of the last, and is
 * imported if one of them is.
 */
export function joinContinuations(path: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of path) {
    const previous = turn.isContinuation ? joined.pop() : undefined;
    joined.push(previous ? joinTurns(previous, turn) : turn);
  }
  return joined;
}

function joinTurns(turn: Turn, continuation: Turn): Turn {
  const known = joinedTurns.get(turn);
  if (known?.continuation === continuation) return known.joined;
  const { reply, ending, isImported } = continuation;
  const joined = {
    ...turn,
    reply: joinReplies(turn.reply, reply, ending === null),
    ending,
    ...(isImported && { isImported }),
  };
  joinedTurns.set(turn, { continuation, joined });
  return joined;
}

/**
 * Repeated text of this length is not a coincidence. A growing continuation is held back until it has this many characters or a whole
 * line, or two whole lines if it starts with a table row.
 */
const openingCharacters = 40;

/** Bounds the time that the comparison takes: a longer repetition is not recognized. */
const maxRepeatedCharacters = 4000;

/**
 * Appends a continuation to a reply that was cut anywhere: within a word, a list, a table or a code block. Drops the text that the
 * continuation repeats. The result starts with `reply` unless that is blank. If `isGrowing`, the continuation is held back until it
 * is clear how to append it, so that text on the page never changes.
 */
export function joinReplies(reply: string, continuation: string, isGrowing = false): string {
  if (isBlank(continuation)) return reply;
  if (isBlank(reply)) return continuation;
  const lastLine = reply.slice(reply.lastIndexOf('\n') + 1);
  const code = unclosedFence(reply);
  const opening = continuation.trimStart();
  const rest = withoutBlockStart(opening, code ?? tableHead(reply));
  if (isGrowing && (isOpeningUndecided(opening) || isRepetition(reply, opening) || isRepetition(reply, rest))) {
    return reply;
  }
  const repeated = repeatedLength(reply, lastLine, opening);
  if (repeated > 0) return reply + opening.slice(repeated);
  if (rest !== opening) {
    const repeatedInBlock = repeatedLength(reply, lastLine, rest);
    return reply + (repeatedInBlock > 0 || lastLine === '' ? '' : '\n') + rest.slice(repeatedInBlock);
  }
  return reply + (code === undefined ? separator(reply, lastLine, continuation) : '') + continuation;
}

function isOpeningUndecided(opening: string): boolean {
  const lines = opening.split('\n', 3).length - 1;
  return opening.startsWith('|') ? lines < 2 : lines === 0 && opening.length < openingCharacters;
}

function isRepetition(reply: string, text: string): boolean {
  return reply.slice(-maxRepeatedCharacters).includes(text);
}

/** Returns the length of the start of `text` that repeats the end of the reply, or its unfinished line. */
function repeatedLength(reply: string, lastLine: string, text: string): number {
  const tail = reply.slice(-openingCharacters);
  const start = text.slice(0, maxRepeatedCharacters);
  for (let at = start.indexOf(tail); at !== -1; at = start.indexOf(tail, at + 1)) {
    const end = at + tail.length;
    if (reply.endsWith(start.slice(0, end))) return end;
  }
  const line = lastLine.trimStart();
  return line.length > 1 && text.startsWith(line) ? line.length : 0;
}

const fenceLine = /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/;

/** Returns the opening fence, with its language if it names one, of the code block that is open at the end of `text`. */
function unclosedFence(text: string): string | undefined {
  let open: { mark: string; line: string } | undefined;
  for (const line of text.split('\n')) {
    const [, mark = '', language = ''] = fenceLine.exec(line) ?? [];
    if (mark === '') continue;
    if (open === undefined) open = { mark, line: mark + language.trim() };
    else if (mark.startsWith(open.mark) && isBlank(language)) open = undefined;
  }
  return open?.line;
}

function tableHead(text: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  const before = lines.findLastIndex((line) => !line.trimStart().startsWith('|'));
  const rows = lines.slice(before + 1).map((line) => line.trim());
  return rows.length > 2 ? rows.slice(0, 2).join('\n') : undefined;
}

/** Removes the repeated start of an unfinished block. A fence without a language stays, because it ends the code block. */
function withoutBlockStart(opening: string, blockStart: string | undefined): string {
  if (blockStart === undefined || /^(?:`+|~+)$/.test(blockStart)) return opening;
  const lines = opening.split('\n');
  const count = blockStart.split('\n').length;
  const start = lines.slice(0, count).map((line) => line.trim());
  return lines.length > count && start.join('\n') === blockStart ? lines.slice(count).join('\n') : opening;
}

const listItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
const quotation = /^[ \t]*>/;
const tableRow = /^[ \t]*\|/;
const otherBlock = /^(?:#{1,6}[ \t]|```|~~~|\$\$|---)/;

/** Returns the separator between a reply that ends outside of code and its continuation: line breaks, a space or nothing. */
function separator(reply: string, lastLine: string, continuation: string): string {
  const line = lastLine === '' ? (reply.trimEnd().split('\n').at(-1) ?? '') : lastLine;
  if (/\n[ \t]*\n[ \t]*$/.test(reply.slice(-200)) || /^[ \t]*\n/.test(continuation)) return '';
  const isSameBlock = [listItem, quotation, tableRow].some((block) => block.test(line) && block.test(continuation));
  const isUnfinishedRow = tableRow.test(lastLine) && !lastLine.trimEnd().endsWith('|');
  const isNewBlock = [listItem, quotation, tableRow, otherBlock].some((block) => block.test(continuation));
  if (isUnfinishedRow && (tableRow.test(continuation) || !isNewBlock)) return '';
  if (isSameBlock) return lastLine === '' ? '' : '\n';
  const isAfterTable = tableRow.test(line) && !continuation.split('\n', 1)[0]?.includes('|');
  if (isNewBlock || isAfterTable || fenceLine.test(line)) return lastLine === '' ? '\n' : '\n\n';
  // Only the end of the line is searched, because the patterns take quadratic time.
  return isBetweenWords(lastLine.slice(-200), continuation) ? ' ' : '';

  /** A cut within a word looks like a cut between words, so the words that occur earlier in the reply decide. */
  function isBetweenWords(before: string, after: string): boolean {
    const [last = ''] = /\S+$/.exec(before) ?? [];
    if (last.includes('://') || unspaced.test(last.slice(-1)) || unspaced.test(after.charAt(0))) return false;
    if (/[,;:]$/.test(last)) return /^\p{L}/u.test(after);
    if (/[.!?…)\]"”’]$/.test(last)) return /^\p{Lu}/u.test(after);
    const [lastWord = ''] = /[\p{L}\p{M}\p{N}]+$/u.exec(before) ?? [];
    const [firstWord = ''] = /^[\p{L}\p{M}\p{N}]+/u.exec(after) ?? [];
    const earlier = reply.slice(0, reply.length - lastWord.length);
    if (lastWord === '' || firstWord === '' || countWord(earlier, lastWord + firstWord) > 0) return false;
    const counts = [countWord(earlier, lastWord), countWord(earlier, firstWord)];
    return Math.min(...counts) > 0 || Math.max(...counts) >= commonWordCount;
  }
}

/** A word that occurs at least this often is unlikely to be part of another word. A rarer one can be, as in “man” and “ager”. */
const commonWordCount = 3;

function countWord(text: string, word: string): number {
  const pattern = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${word}(?![\\p{L}\\p{M}\\p{N}])`, 'giu');
  return text.match(pattern)?.length ?? 0;
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
