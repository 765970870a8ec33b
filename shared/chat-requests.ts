import * as z from 'zod/mini';
import { type Message, notBlank, type TextBlock } from './messages.ts';

const text = z.string().check(z.regex(notBlank));

export const textBlockSchema = z.object({ type: z.literal('text'), text }) satisfies z.ZodMiniType<TextBlock>;

export const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([text, z.array(textBlockSchema).check(z.minLength(1))]),
}) satisfies z.ZodMiniType<Message>;

const messages = z.array(messageSchema).check(z.minLength(1));

/** What demo chat takes. Whose the last message is, is judged by the provider. */
export const demoRequestSchema = z.object({ messages });

/**
 * What live chat takes, whose last message has to be the user's. It also takes a `conversationId` that is no string, as an
 * unknown one.
 */
export const liveRequestSchema = z.object({ messages, conversationId: z.optional(z.string()) });
