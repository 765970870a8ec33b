/** A paragraph of a message. Its text is not empty. */
export type TextBlock = { type: 'text'; text: string };

/** One message as the model provider's message parameters have it: no text is empty, and a list has a block at least. */
export type Message = { role: 'user' | 'assistant'; content: string | TextBlock[] };

/** The plain text of a message, its blocks as paragraphs. */
export function messageText({ content }: Message): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
