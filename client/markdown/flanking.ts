type Flanking = { canOpen: boolean; canClose: boolean };

/** Letters and punctuation of Chinese, Japanese and Korean, which use no spaces around emphasis. */
const eastAsian =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\u3000-\u303f\ufe30-\ufe4f\uff01-\uffee]/u;
const punctuation = /[\p{P}\p{S}]/u;
const opensBracket = /[\p{Ps}\p{Pi}]/u;

/**
 * Applies the rules of CommonMark, except that beside East Asian text punctuation does not need to be at the edge of a word:
 * `**注意：**数値` is emphasis. `_` still needs punctuation there, because it also joins words. `before` and `after` are empty at the ends
 * of the text.
 */
export function flankingOf(mark: string, before: string, after: string): Flanking {
  const isSpaceBefore = /^\s?$/u.test(before);
  const isSpaceAfter = /^\s?$/u.test(after);
  const isPunctuationBefore = punctuation.test(before);
  const isPunctuationAfter = punctuation.test(after);
  const leads = !isSpaceAfter && (!isPunctuationAfter || isSpaceBefore || isPunctuationBefore);
  const trails = !isSpaceBefore && (!isPunctuationBefore || isSpaceAfter || isPunctuationAfter);
  const isEastAsian = eastAsian.test(before) || eastAsian.test(after);
  if (mark.startsWith('_')) {
    return {
      canOpen:
        (leads && (!trails || isPunctuationBefore)) || (isEastAsian && opensBracket.test(after) && !isSpaceAfter),
      canClose:
        (trails && (!leads || isPunctuationAfter)) ||
        (isEastAsian && isPunctuationBefore && !opensBracket.test(before) && !isSpaceBefore),
    };
  }
  return { canOpen: leads || (isEastAsian && !isSpaceAfter), canClose: trails || (isEastAsian && !isSpaceBefore) };
}

/** Returns the character before `index`, or an empty string at the start. Surrogate pairs stay together. */
export function characterBefore(text: string, index: number): string {
  const character = text.slice(Math.max(0, index - 2), index);
  return (character.codePointAt(0) ?? 0) > 0xffff ? character : character.slice(-1);
}

/** Returns the character at `index`, or an empty string at the end. Surrogate pairs stay together. */
export function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}
