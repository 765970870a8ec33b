import { foldText } from '../conversations/fold-text.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import type { CommandName } from './command-registry.ts';

/** A command with its title in the user's language. */
type NamedCommand = { name: CommandName; title: string };

type PaletteChoices = { commands: readonly NamedCommand[]; conversations: readonly ConversationEntry[] };

const maxConversations = 50;

const maxLatest = 8;

/** Returns all commands and the latest conversations for a blank query, otherwise those whose title contains each of its words. */
export function paletteChoices(
  query: string,
  commands: readonly NamedCommand[],
  entries: readonly ConversationEntry[],
): PaletteChoices {
  const terms = foldText(query).split(/\s+/).filter(Boolean);
  if (terms.length === 0) return { commands, conversations: entries.slice(0, maxLatest) };
  return {
    commands: matchesOf(terms, commands, ({ title }) => title),
    conversations: matchesOf(terms, entries, conversationTitle).slice(0, maxConversations),
  };
}

export function conversationTitle({ name, title }: ConversationEntry): string {
  return name || title;
}

/** Returns the items that contain every word. Items that start with the first word come first. */
function matchesOf<Item>(terms: readonly string[], items: readonly Item[], titleOf: (item: Item) => string): Item[] {
  const [first = ''] = terms;
  const matching = items
    .map((item) => ({ item, title: foldText(titleOf(item)) }))
    .filter(({ title }) => terms.every((word) => title.includes(word)));
  const startsWithFirst = ({ title }: { title: string }) => title.startsWith(first);
  return [...matching.filter(startsWithFirst), ...matching.filter((match) => !startsWithFirst(match))].map(
    ({ item }) => item,
  );
}
