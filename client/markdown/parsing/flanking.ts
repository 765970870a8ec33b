type Flanking = { canOpen: boolean; canClose: boolean };

/** Letters and punctuation of Chinese, Japanese, Korean and scripts of Southeast Asia, which use no spaces around emphasis. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\u3000-\u303f\ufe30-\ufe4f\uff01-\uffee]/u;
const punctuation = /[\p{P}\p{S}]/u;
const opensBracket = /[\p{Ps}\p{Pi}]/u;
const letterOrDigit = /[\p{L}\p{M}\p{N}]/u;
const digit = /\p{N}/u;

/** Characters between which a single `*` is a multiplication. */
const endsFactor = /[\p{L}\p{M}\p{N}\p{Sc})\]%°]/u;
const startsFactor = /[\p{L}\p{N}\p{Sc}([√]/u;

/** A name that starts and ends with underscores, such as `__init__.py`, and what follows its end. */
const name = /_[\p{L}\p{N}_]{1,60}_(?:[./\\][\p{L}\p{N}_]|\()/uy;
const continuesName = /(?:[./\\][\p{L}\p{N}_]|\()/uy;
/** A character before such a name, as in `self.__dict__`. */
const precedesName = /[./\\]/;

/**
 * Returns whether the run of equal marks from `start` to `end` can open and close emphasis. Applies the rules of CommonMark with two
 * exceptions. Marks between two letters or digits are text (`5*8*4`, `10**3**2`), unless two marks close emphasis that was opened before
 * a word (`**API**s`). Beside East Asian text, marks do not need to be at the edge of a word (`**注意：**数値`), except `_`, which
 * also joins words and needs punctuation there.
 */
export function flankingOf(text: string, start: number, end: number): Flanking {
  const mark = text.charAt(start);
  const before = characterBefore(text, start);
  const after = characterAfter(text, end);
  const isSpaceBefore = /^\s?$/u.test(before);
  const isSpaceAfter = /^\s?$/u.test(after);
  const isPunctuationBefore = punctuation.test(before);
  const isPunctuationAfter = punctuation.test(after);
  const leads = !isSpaceAfter && (!isPunctuationAfter || isSpaceBefore || isPunctuationBefore);
  const trails = !isSpaceBefore && (!isPunctuationBefore || isSpaceAfter || isPunctuationAfter);
  const isUnspaced = unspaced.test(before) || unspaced.test(after);
  if (mark === '_') {
    return {
      canOpen:
        ((leads && (!trails || isPunctuationBefore)) || (isUnspaced && opensBracket.test(after) && !isSpaceAfter)) &&
        !precedesName.test(before) &&
        !matchesAt(name, text, start),
      canClose:
        ((trails && (!leads || isPunctuationAfter)) ||
          (isUnspaced && isPunctuationBefore && !opensBracket.test(before) && !isSpaceBefore)) &&
        !matchesAt(continuesName, text, end),
    };
  }
  if (isUnspaced) return { canOpen: !isSpaceAfter, canClose: !isSpaceBefore };
  const isSingle = end - start === 1;
  const isInWord = letterOrDigit.test(before) && letterOrDigit.test(after);
  const isProduct = isSingle && endsFactor.test(before) && startsFactor.test(after);
  return {
    canOpen: leads && !isInWord && !isProduct,
    canClose: trails && !(isInWord && (isSingle || (digit.test(before) && digit.test(after)))),
  };
}

/** Returns whether the sticky `pattern` matches at `index`. Its `lastIndex` is then the end of the match. */
export function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}

/** Returns the character before `index`, or an empty string at the start. Surrogate pairs stay together. */
function characterBefore(text: string, index: number): string {
  const character = text.slice(Math.max(0, index - 2), index);
  return (character.codePointAt(0) ?? 0) > 0xffff ? character : character.slice(-1);
}

/** Returns the character at `index`, or an empty string at the end. Surrogate pairs stay together. */
function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}
