import { z } from 'zod';

const textBlockSchema = z.object({ type: z.literal('text'), text: z.string().min(1) });

/** One message as the model provider's message parameters have it; unknown fields are dropped. */
export const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().min(1), z.array(textBlockSchema).min(1)]),
});

export type Message = z.infer<typeof messageSchema>;

/** `messages` of a live request. Whose turn the last one is, is a rule of its own with its own error code. */
export const messagesSchema = z.array(messageSchema).min(1);

/** The plain text of a message, its blocks as paragraphs. */
export function messageText({ content }: Message): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
