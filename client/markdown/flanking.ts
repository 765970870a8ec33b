/** Whether a run of `*`, `_` or `~` can open and close emphasis, by the characters before and after it; empty at an end of the text. */
export type Flanking = { canOpen: boolean; canClose: boolean };

/** Letters and punctuation of Chinese, Japanese and Korean, which are written without spaces. */
const eastAsian =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\u3000-\u303f\ufe30-\ufe4f\uff01-\uffee]/u;
const punctuation = /[\p{P}\p{S}]/u;
const opensBracket = /[\p{Ps}\p{Pi}]/u;

/**
 * The rules of CommonMark, but beside East Asian text punctuation does not have to stand at the edge of a word: `**注意：**数値`
 * is emphasis. `_` still needs punctuation there, because it joins words.
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

/** The character of `text` that ends at `index`, or an empty text. */
export function characterBefore(text: string, index: number): string {
  const character = text.slice(Math.max(0, index - 2), index);
  return (character.codePointAt(0) ?? 0) > 0xffff ? character : character.slice(-1);
}

/** The character of `text` that begins at `index`, or an empty text. */
export function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}
