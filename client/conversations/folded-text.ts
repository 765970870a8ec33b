const marks = /[\u0300-\u036f\u064b-\u0652\u0670]/g;

/** The text as a search compares it: without case, and without accents of Latin, Greek, Cyrillic and Arabic letters. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  // Most text has neither accents nor anything else to take apart.
  if (/^[\u0020-\u007e\s]*$/.test(lower)) return lower;
  return lower.normalize('NFD').replace(marks, '').replaceAll('ς', 'σ');
}

const partCharacters = 1000;

/** Where `sought`, which is folded, first occurs in `text`; undefined where it does not. */
export function findFolded(text: string, sought: string): { start: number; end: number } | undefined {
  const at = folded(text).indexOf(sought);
  if (at === -1) return undefined;
  // Folding changes lengths: the place in the text is found by folding its parts, in the end one character after the other.
  let { index, foldedLength } = partBefore(text, at);
  let start = -1;
  for (const character of text.slice(index)) {
    const { length } = folded(character);
    // A mark that counts for nothing belongs to the character before it.
    if (start !== -1 && length > 0 && foldedLength >= at + sought.length) break;
    foldedLength += length;
    if (start === -1 && foldedLength > at) start = index;
    index += character.length;
  }
  return start === -1 ? undefined : { start, end: index };
}

/** The end of the last whole part of `text` that ends, folded, before `at`; and how long everything up to it is, folded. */
function partBefore(text: string, at: number): { index: number; foldedLength: number } {
  let index = 0;
  let foldedLength = 0;
  while (index < text.length) {
    const isCutInTwo = /[\ud800-\udbff]/.test(text.charAt(index + partCharacters - 1));
    const part = text.slice(index, index + partCharacters + (isCutInTwo ? 1 : 0));
    const { length } = folded(part);
    if (foldedLength + length > at) break;
    index += part.length;
    foldedLength += length;
  }
  return { index, foldedLength };
}
