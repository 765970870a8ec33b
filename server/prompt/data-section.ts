/**
 * Wraps `value` (anything that JSON can hold) as data within a prompt: JSON on one line between `<data>` tags.
 * Text that people typed then cannot close the section or start a line, so it cannot forge a tag or a heading.
 * Keys keep the order of `value`: callers list them in a fixed one, since the provider's cache compares bytes.
 */
export function dataSection(value: unknown): string {
  return `<data>${JSON.stringify(value).replace(/[<>&\u0085\u2028\u2029]/g, unicodeEscape)}</data>`;
}

/** The value of the first data section in `text`, or undefined where there is none. Throws where it is not JSON. */
export function readDataSection(text: string): unknown {
  const json = /<data>(.*?)<\/data>/.exec(text)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
