import { z } from 'zod';

/** What a person has typed and not sent, as the device keeps it. */
export const typedSchema = z.object({
  /** What is in the message field. */
  draft: z.string(),
  /** While the last question is being edited in the message field: the draft that was there before. Otherwise null. */
  setAside: z.string().nullable(),
  /** Whether the draft was sent and the service refused to take it. */
  wasRefused: z.boolean(),
});

export type Typed = z.infer<typeof typedSchema>;

export const nothingTyped: Typed = { draft: '', setAside: null, wasRefused: false };

export function isNothing({ draft, setAside }: Typed): boolean {
  return draft === '' && (setAside ?? '') === '';
}
