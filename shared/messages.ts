/** A paragraph of a message. Its text is not blank. */
export type TextBlock = { type: 'text'; text: string };

/** One message as the model provider's message parameters have it: no text is blank, and a list has a block at least. */
export type Message = { role: 'user' | 'assistant'; content: string | TextBlock[] };

/**
 * Matches text that is not blank. U+001C to U+001F and U+0085 are not in JavaScript's `\s`, but other languages
 * count them as white space, and so may the provider.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the first four are control characters.
export const notBlank = /[^\s\x1C-\x1F\x85]/;

/** Whether `text` is empty or only white space. The model provider refuses a message with such a text. */
export function isBlank(text: string): boolean {
  return !notBlank.test(text);
}

/** The plain text of a message, its blocks as paragraphs. */
export function messageText({ content }: Message): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
