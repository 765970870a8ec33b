/**
 * Latin, Greek and Cyrillic accents, Hebrew points and accents, and Arabic vowel signs, tatweel, hamza and madda. Other marks
 * distinguish letters: カ, ガ.
 */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed]/g;

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
    .replace(marks, '')
    .replace(equivalentLetters, (letter) => equivalents[letter] ?? letter);
}
