/**
 * The maximum tokens per character, on average over a reply. In alphabetic languages a token has three to four characters of prose
 * and never much less than two, not even in tables of numbers. A Chinese or Japanese character can be two tokens.
 */
const maxTokensPerCharacter = { alphabet: 0.5, wide: 2 };

/** Mainly Chinese, Japanese and Korean characters, with their punctuation. */
const cjk = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;

/** Characters that can follow the punctuation of a sentence: spaces, closing quotation marks, brackets and Markdown marks. */
const closingCharacter = /[\s"'”’»›“)\]}」』）】*_~`]/;

/** `Sentence_Terminal` has the marks of all scripts, such as `。`, `؟` and `।`. */
const sentenceEnd = /[\p{Sentence_Terminal}…]$/u;

const fence = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:`{3,}[^`]*$|~{3,})/;

/**
 * Estimates whether a reply that arrived without an error lacks its end, which the protocol does not report: the model refused to go on,
 * or reached its maximum number of tokens, or the end was lost. Such a reply has no mark of an end, or it is long enough for the
 * maximum and does not end with a sentence, table, code block or formula. Use the estimate only to offer the rest.
 */
export function mayBeTruncated(reply: string, maxTokens: number): boolean {
  const text = reply.trimEnd();
  return endsWithoutMark(text) || (estimateMaxTokens(reply) >= maxTokens && endsMidText(text));
}

function estimateMaxTokens(reply: string): number {
  const wideCharacters = reply.match(cjk)?.length ?? 0;
  return wideCharacters * maxTokensPerCharacter.wide + (reply.length - wideCharacters) * maxTokensPerCharacter.alphabet;
}

/** Takes any table row or fence for the end of its block, because `endsWithoutMark` detects unfinished tables and code blocks. */
function endsMidText(reply: string): boolean {
  const last = lastLineOf(reply);
  if (last.startsWith('|') || fence.test(last) || last.endsWith('$$')) return false;
  return !sentenceEnd.test(withoutEnd(last, closingCharacter));
}

/** A shorter last line can be a whole reply, a signature or a total. */
const minWords = 6;
const minWideCharacters = 15;

/** A list, heading, table or line in bold, which need no mark at their end. */
const unpunctuatedLine = /^(?:[-*+•]\s|\d+[.)]\s|#{1,6}\s|\*\*.*\*\*$)|.\s\|\s./u;

/** Punctuation that announces more text or joins a word. */
const openEnd = /[,:;–—、，：；،؛-]$/u;

/** The end of a sentence, quotation, bracket, code or formula; an emoji; or a letter of a script without sentence marks. */
const closedEnd =
  /(?:[\p{Sentence_Terminal}…\p{Pe}\p{Pf}"'`$>\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Script=Thai}\p{Script=Lao}]|\ufe0f)$/u;

const trailingUrl = /(?:^|[\s(<])https?:\/\/\S+$/;

/** Unlike `endsMidText`, it has to be right for replies of any length, most of which are complete. */
function endsWithoutMark(reply: string): boolean {
  if (isInCode(reply)) return true;
  const last = lastLineOf(reply).replace(/^(?:>\s?)+/, '');
  if (last.startsWith('|')) return isOpenRow(last);
  const written = withoutEnd(last, /[*_~]/);
  if (openEnd.test(written)) return !/^-{3,}$/.test(written);
  if (unpunctuatedLine.test(last) || closedEnd.test(written) || trailingUrl.test(written.slice(-2000))) return false;
  return written.split(/\s+/, minWords).length >= minWords || (written.match(cjk)?.length ?? 0) >= minWideCharacters;
}

function lastLineOf(reply: string): string {
  return reply.slice(reply.lastIndexOf('\n') + 1).trim();
}

function isInCode(reply: string): boolean {
  return reply.split('\n').filter((line) => fence.test(line)).length % 2 === 1;
}

function isOpenRow(line: string): boolean {
  return !line.endsWith('|') || line === '|';
}

/** Not a regular expression: it would restart at each character of a run, and take quadratic time. */
function withoutEnd(line: string, characters: RegExp): string {
  let end = line.length;
  while (characters.test(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}
