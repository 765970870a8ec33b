/**
 * Latin, Greek and Cyrillic accents, Hebrew points and accents, and Arabic vowel signs, tatweel, hamza and madda. Other marks
 * distinguish letters: カ, ガ.
 */
const ignoredMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed]/g;

/** Letters that a search treats as equal although Unicode does not decompose them. */
const equivalents: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ς: 'σ', ı: 'i', æ: 'ae', œ: 'oe' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const equivalentLetters = new RegExp(`[${Object.keys(equivalents).join('')}]`, 'g');

/** Normalizes text for comparison: without case, accents and width, and with ligatures decomposed. */
export function foldText(text: string): string {
  // Fast path for ASCII text.
  if (/^[\u0020-\u007e\s]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ignoredMarks, '')
    .replace(equivalentLetters, (letter) => equivalents[letter] ?? letter);
}

type TextRange = { start: number; end: number };

export function findFolded(text: string, query: string): TextRange | undefined {
  const found = patternOf(query).exec(foldText(text));
  if (found === null) return undefined;
  return toOriginalRange(text, { start: found.index, end: found.index + found[0].length });
}

function patternOf(query: string): RegExp {
  const words = query.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // A voiced sound mark makes a different kana, so the match must not end before one.
  return new RegExp(`${words.join('\\s+')}(?![\u3099\u309a])`);
}

/** `toOriginalRange` skips the text before the match in chunks of this many characters. */
const chunkCharacters = 1000;

const foldedLengths = new Map<string, number>();

/** Returns the folded length of a character. An ignored mark has length 0: it belongs to the character before it. */
function foldedLength(character: string): number {
  const known = foldedLengths.get(character);
  if (known !== undefined) return known;
  const { length } = foldText(character);
  foldedLengths.set(character, length);
  return length;
}

function toOriginalRange(text: string, range: TextRange): TextRange {
  let index = 0;
  let length = 0;
  const characterAt = (at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0);
  const advance = () => {
    const character = characterAt(index);
    length += foldedLength(character);
    index += character.length;
  };
  while (length + chunkCharacters < range.start) {
    const splitsPair = /[\ud800-\udbff]/.test(text.charAt(index + chunkCharacters - 1));
    const chunk = text.slice(index, index + chunkCharacters + (splitsPair ? 1 : 0));
    const chunkLength = foldText(chunk).length;
    if (length + chunkLength > range.start) break;
    index += chunk.length;
    length += chunkLength;
  }
  while (length + foldedLength(characterAt(index)) <= range.start) advance();
  const start = index;
  while (length < range.end) advance();
  while (index < text.length && foldedLength(characterAt(index)) === 0) advance();
  return { start, end: index };
}
