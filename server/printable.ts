/**
 * Escapes the characters that a terminal obeys or hides: controls, and format characters such as those that change the
 * direction of text. Names and messages have whatever people typed. Line breaks and tabs stay. JSON keeps its value.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** The same for a text that has to fit on one line. */
export function printableLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, escaped);
}

/** As JSON writes it: `\u009b`, and a pair for a character beyond U+FFFF. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
