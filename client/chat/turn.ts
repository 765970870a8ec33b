import { z } from 'zod';

/**
 * How a turn ended: `interrupted` by the connection, or `left` with the page that showed it. `sentence` is fit for the
 * person; `requestId` is what they can quote to an operator.
 */
export const endingSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('stopped') }),
  z.object({ type: z.literal('interrupted'), requestId: z.string() }),
  z.object({ type: z.literal('left'), requestId: z.string() }),
  z.object({ type: z.literal('failed'), requestId: z.string(), sentence: z.string() }),
]);

export type Ending = z.infer<typeof endingSchema>;

/** One question and as much of its reply as has been shown. `ending` is null while the turn runs. */
export const turnSchema = z.object({
  requestId: z.string(),
  question: z.string(),
  reply: z.string(),
  ending: endingSchema.nullable(),
});

export type Turn = z.infer<typeof turnSchema>;
