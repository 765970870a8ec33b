/**
 * The characters that a terminal interprets or that are invisible: control and format characters, other default-ignorable characters,
 * separators other than the space and the ideographic space of Japanese names, and the blank Braille pattern, which is a symbol.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \u3000])\p{Z}/gu;

/**
 * Escapes unprintable characters, because names and messages contain arbitrary user input. Keeps line breaks and tabs. Does not
 * change the value of JSON.
 */
export function printableText(text: string): string {
  return text.replace(unprintable, (character) => (/[\n\t]/.test(character) ? character : escapeCharacter(character)));
}

/** Like `printableText`, but for a single line: also escapes line breaks and tabs. */
export function printableLine(text: string): string {
  return text.replace(unprintable, escapeCharacter);
}

/** Escapes as in JSON: `\u009b`, and a surrogate pair for a character beyond U+FFFF. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
