import * as z from 'zod/mini';
import { type Message, notBlank } from './messages.ts';

// The provider refuses a lone surrogate.
const text = z.string().check(
  z.overwrite((text) => text.toWellFormed()),
  z.regex(notBlank),
);

export const textBlockSchema = z.object({ type: z.literal('text'), text });

export const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([text, z.array(textBlockSchema).check(z.minLength(1))]),
}) satisfies z.ZodMiniType<Message>;

const messages = z.array(messageSchema).check(z.minLength(1));

/** The body of a demo request. The specification has no check of the last role for demo chat. */
export const demoRequestSchema = z.object({ messages });

/**
 * The body of a live request. The schema omits two rules: the last message must have the role `user`, and the server treats a
 * `conversationId` that is not a string as an unknown id.
 */
export const liveRequestSchema = z.object({ messages, conversationId: z.optional(z.string()) });
