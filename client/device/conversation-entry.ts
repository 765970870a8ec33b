/** A conversation as a list shows it. */
export type ConversationEntry = {
  id: string;
  /** From the first question, or from what is typed where nothing was asked yet. */
  title: string;
  /** What the person calls it, if they gave it a name. */
  name?: string | undefined;
  /** When something was last asked or answered, in milliseconds since the epoch. Always a date that `Date` can say. */
  lastActiveAt: number;
};

const longestTitleCharacters = 80;

/** The beginning of `text` on one line. */
export function titleOf(text: string): string {
  // Cut first: a pasted book is one question as well.
  const beginning = text.trimStart().slice(0, longestTitleCharacters * 8);
  const characters = [...beginning.trim().replace(/\s+/g, ' ')];
  if (characters.length <= longestTitleCharacters) return characters.join('');
  return `${characters.slice(0, longestTitleCharacters - 1).join('')}…`;
}
