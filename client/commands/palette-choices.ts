import { folded } from '../conversations/folded-text.ts';
import type { ConversationEntry } from '../device/conversation-records.ts';
import type { CommandName } from './command-registry.ts';

/** A command as the person reads it. */
export type NamedCommand = { name: CommandName; title: string };

export type PaletteChoices = { commands: readonly NamedCommand[]; conversations: readonly ConversationEntry[] };

/** More than this nobody looks through: they type another word. */
const maxConversations = 50;

/** While nothing is typed, the latest are at hand. */
const maxLatest = 8;

/** The choices: all if `words` is blank, otherwise those whose title has each of the words, in any order. */
export function paletteChoices(
  words: string,
  commands: readonly NamedCommand[],
  entries: readonly ConversationEntry[],
): PaletteChoices {
  const sought = folded(words).split(/\s+/).filter(Boolean);
  if (sought.length === 0) return { commands, conversations: entries.slice(0, maxLatest) };
  return {
    commands: found(sought, commands, ({ title }) => title),
    conversations: found(sought, entries, conversationTitle).slice(0, maxConversations),
  };
}

export function conversationTitle({ name, title }: ConversationEntry): string {
  return name || title;
}

/** Those that have all the words; first come those that begin with the first one. */
function found<Item>(sought: readonly string[], items: readonly Item[], titleOf: (item: Item) => string): Item[] {
  const [first = ''] = sought;
  const matching = items
    .map((item) => ({ item, title: folded(titleOf(item)) }))
    .filter(({ title }) => sought.every((word) => title.includes(word)));
  const begins = ({ title }: { title: string }) => title.startsWith(first);
  return [...matching.filter(begins), ...matching.filter((match) => !begins(match))].map(({ item }) => item);
}
