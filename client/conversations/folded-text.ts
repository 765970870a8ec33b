/**
 * Accents of Latin, Greek and Cyrillic, points of Hebrew, and vowel signs, hamza and madda of Arabic. Marks of other scripts make
 * other letters: カ and ガ, क and कि.
 */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed]/g;

/** Letters that a search takes for others, where Unicode does not take them apart. */
const alike: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ς: 'σ', ı: 'i', æ: 'ae', œ: 'oe' },
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const lettersAlike = new RegExp(`[${Object.keys(alike).join('')}]`, 'g');

/** The text as a search compares it: without case, accents and the width of letters, and with ligatures taken apart. */
export function folded(text: string): string {
  // Most text has nothing to take apart.
  if (/^[\u0020-\u007e\s]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(lettersAlike, (letter) => alike[letter] ?? letter);
}

export type Place = { start: number; end: number };

/** Where `sought`, which is folded, first occurs in `text`; undefined where it does not. */
export function findFolded(text: string, sought: string): Place | undefined {
  const found = patternOf(sought).exec(folded(text));
  return found === null ? undefined : unfolded(text, [placeOf(found)])[0];
}

/** Every place in `text` where `words` occur, in their order. Blank words occur nowhere. */
export function findAllFolded(text: string, words: string): Place[] {
  const sought = folded(words).trim();
  if (sought === '') return [];
  return unfolded(text, Array.from(folded(text).matchAll(patternOf(sought)), placeOf));
}

function patternOf(sought: string): RegExp {
  const words = sought.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // With a voiced sound mark behind it, a kana is another one.
  return new RegExp(`${words.join('\\s+')}(?![\u3099\u309a])`, 'g');
}

function placeOf({ index, 0: match }: RegExpExecArray): Place {
  return { start: index, end: index + match.length };
}

/** So many characters are passed over at once where a place is further on. */
const partCharacters = 1000;

const foldedLengths = new Map<string, number>();

/** How long a character is once it is folded. A mark is nothing: it belongs to the character before it. */
function foldedLength(character: string): number {
  const known = foldedLengths.get(character);
  if (known !== undefined) return known;
  const { length } = folded(character);
  foldedLengths.set(character, length);
  return length;
}

/** Ordered places in the folded text, as places in `text`. Two in one character, such as a ligature, are one. */
function unfolded(text: string, places: readonly Place[]): Place[] {
  let index = 0;
  let length = 0;
  const characterAt = (at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0);
  const advance = () => {
    const character = characterAt(index);
    length += foldedLength(character);
    index += character.length;
  };
  const passParts = (until: number) => {
    while (length + partCharacters < until) {
      const isCutInTwo = /[\ud800-\udbff]/.test(text.charAt(index + partCharacters - 1));
      const part = text.slice(index, index + partCharacters + (isCutInTwo ? 1 : 0));
      const partLength = folded(part).length;
      if (length + partLength > until) return;
      index += part.length;
      length += partLength;
    }
  };
  const found: Place[] = [];
  for (const place of places) {
    if (place.start < length) continue;
    passParts(place.start);
    while (length + foldedLength(characterAt(index)) <= place.start) advance();
    const start = index;
    while (length < place.end) advance();
    while (index < text.length && foldedLength(characterAt(index)) === 0) advance();
    found.push({ start, end: index });
  }
  return found;
}
