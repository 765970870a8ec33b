/**
 * The maximum tokens per character, on average over a reply. In alphabetic languages a token has three to four characters of prose
 * and never much less than two, not even in tables of numbers. A Chinese or Japanese character can be two tokens.
 */
const maxTokensPerCharacter = { alphabet: 0.5, wide: 2 };

/** Mainly Chinese, Japanese and Korean characters, with their punctuation. */
const wide = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;

/** Characters that can follow the punctuation of a sentence: spaces, closing quotation marks, brackets and Markdown marks. */
const closing = /[\s"'”’»›“)\]}」』）】*_~`]/;

const sentenceEnd = /[.!?…。！？．؟۔]$/;

const fence = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:`{3,}|~{3,})/;

/**
 * Estimates whether a complete response was cut at its maximum number of tokens, which the protocol does not report: it is long
 * enough for that, and ends in the middle of a sentence, table or code block. Use it only to offer the rest.
 */
export function mayBeTruncated(reply: string, maxTokens: number): boolean {
  return estimateMaxTokens(reply) >= maxTokens && endsMidText(reply.trimEnd());
}

function estimateMaxTokens(reply: string): number {
  const wideCharacters = reply.match(wide)?.length ?? 0;
  return wideCharacters * maxTokensPerCharacter.wide + (reply.length - wideCharacters) * maxTokensPerCharacter.alphabet;
}

function endsMidText(reply: string): boolean {
  const lines = reply.split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  const fences = lines.filter((line) => fence.test(line)).length;
  if (fences % 2 === 1) return true;
  if (last.startsWith('|')) return !last.endsWith('|') || last === '|';
  if (fence.test(last) || last.endsWith('$$')) return false;
  return !sentenceEnd.test(withoutClosing(last));
}

/** Not a regular expression: it would restart at each character of a run, and take quadratic time. */
function withoutClosing(line: string): string {
  let end = line.length;
  while (end > 0 && closing.test(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}
