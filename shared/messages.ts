/** A message in the form that the provider accepts: no text is blank, and an array has at least one block. */
export type Message = { role: 'user' | 'assistant'; content: string | { type: 'text'; text: string }[] };

/**
 * Matches text that is not blank. U+001C to U+001F and U+0085 are not in JavaScript's `\s`, but other languages treat them as
 * white space, so the provider can too.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the first four are control characters.
export const notBlank = /[^\s\x1C-\x1F\x85]/;

/** The provider rejects a message with a blank text. */
export function isBlank(text: string): boolean {
  return !notBlank.test(text);
}

/** Returns the text of a message, with its blocks as paragraphs. */
export function messageText({ content }: Message): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
