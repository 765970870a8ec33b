/**
 * Escapes the characters that a terminal interprets or hides, because names and messages contain arbitrary user input: control
 * characters, and format characters such as those that change the direction of text. Keeps line breaks and tabs. Does not
 * change the value of JSON.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** Like `printable`, but for a single line: also escapes line breaks and tabs. */
export function printableLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, escaped);
}

/** Escapes as in JSON: `\u009b`, and a surrogate pair for a character beyond U+FFFF. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
