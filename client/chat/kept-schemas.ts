// The small zod: the package is built with it inside.
import * as z from 'zod/mini';
import type { Ending, Turn } from './turn.ts';
import type { Typed } from './typed.ts';

const endingSchema: z.ZodMiniType<Ending> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('stopped') }),
  z.object({ type: z.literal('interrupted'), requestId: z.string() }),
  z.object({ type: z.literal('left'), requestId: z.string() }),
  z.object({ type: z.literal('failed'), requestId: z.string(), sentence: z.string() }),
]);

const turnSchema: z.ZodMiniType<Turn> = z.object({
  requestId: z.string(),
  question: z.string(),
  reply: z.string(),
  ending: z.nullable(endingSchema),
});

/** What a device keeps of what was said. */
export const recordSchema = z.object({
  conversationId: z.optional(z.string()),
  turns: z.array(turnSchema),
  isShortened: z._default(z.boolean(), false),
});

/** What a device keeps of what is typed. */
export const typedSchema: z.ZodMiniType<Typed> = z.object({
  draft: z.string(),
  setAside: z.nullable(z.string()),
  wasRefused: z.boolean(),
});
