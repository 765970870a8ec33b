import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

const entrySchema = z.object({
  id: z.string(),
  /** From the first question, or from what is typed where nothing was asked yet. */
  title: z.string(),
  /** What the person calls it, if they gave it a name. */
  name: z.string().optional(),
  /** When something was last asked or answered, in milliseconds since the epoch. */
  lastActiveAt: z.number(),
});

export type ConversationEntry = z.infer<typeof entrySchema>;

const longestTitleCharacters = 80;

/** The entries of a kept index; none where it is unreadable. */
export function readIndex(kept: string | null): ConversationEntry[] {
  return z.array(entrySchema).safeParse(parseJson(kept)).data ?? [];
}

/** The beginning of `text` on one line. */
export function titleOf(text: string): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')];
  if (characters.length <= longestTitleCharacters) return characters.join('');
  return `${characters.slice(0, longestTitleCharacters - 1).join('')}…`;
}
