import type { ConversationEntry } from '../device/conversation-records.ts';
import { foldText } from '../library/folded-text.ts';
import type { CommandName } from './command-registry.ts';

/** `title` and `keywords` are in the user's language; the keywords are searched, but not shown. */
type NamedCommand = { name: CommandName; title: string; keywords?: readonly string[] };

type PaletteChoices = { commands: readonly NamedCommand[]; conversations: readonly ConversationEntry[] };

const maxConversations = 50;

const maxLatest = 8;

/** Returns all commands and the latest conversations for a blank query, otherwise those that contain every word of it. */
export function paletteChoices(
  query: string,
  commands: readonly NamedCommand[],
  entries: readonly ConversationEntry[],
): PaletteChoices {
  const terms = foldText(query).split(/\s+/).filter(Boolean);
  if (terms.length === 0) return { commands, conversations: entries.slice(0, maxLatest) };
  return {
    commands: matchesOf(terms, commands, ({ title, keywords = [] }) => [title, ...keywords].join('\n')),
    conversations: matchesOf(terms, entries, conversationTitle).slice(0, maxConversations),
  };
}

export function conversationTitle({ name, title }: ConversationEntry): string {
  return name || title;
}

/** Items that start with the first word come first. */
function matchesOf<Item>(terms: readonly string[], items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const [first = ''] = terms;
  const matching = items
    .map((item) => ({ item, text: foldText(textOf(item)) }))
    .filter(({ text }) => terms.every((word) => text.includes(word)));
  const startsWithFirst = ({ text }: { text: string }) => text.startsWith(first);
  return [...matching.filter(startsWithFirst), ...matching.filter((match) => !startsWithFirst(match))].map(
    ({ item }) => item,
  );
}
