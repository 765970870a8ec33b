import { pathTo } from '../chat/conversation-tree.ts';
import { hasReply, type Turn } from '../chat/turn.ts';
import type { ExportedConversations } from '../conversations/conversation-file.ts';

type DocumentTurn = Pick<Turn, 'question' | 'reply' | 'ending'>;

/** What a document says itself, in the reader's language. */
export type DocumentWords = { you: string; assistant: string; notAnswered: string; notComplete: string };

/** A conversation as one document. */
export type ConversationDocument = {
  title: string;
  /** The day on which something was last asked, as it is written there; where that is not known, today. */
  date: string;
  turns: readonly DocumentTurn[];
  words: DocumentWords;
};

/** The document as Markdown, with its title and its day. */
export function conversationMarkdown({ title, date, turns, words }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, words)}`;
}

/** What was said, as Markdown: who said it as a heading each, and where a reply is not whole. */
export function turnsMarkdown(turns: readonly DocumentTurn[], words: DocumentWords): string {
  const sections = turns.flatMap(({ question, reply, ending }) => {
    const asked = `## ${words.you}\n\n${question}`;
    if (!hasReply({ reply })) return [asked, `*${words.notAnswered}*`];
    const answered = `## ${words.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done' ? [asked, answered] : [asked, answered, `*${words.notComplete}*`];
  });
  return `${sections.join('\n\n')}\n`;
}

type ExportedMarkdownOptions = { words: DocumentWords; dayOf: (moment: number) => string };

/**
 * All conversations of an export as one text in Markdown, each as it was shown, with what was typed and not sent. Each has the
 * day on which something was last asked there. Where that is not known, it has the day of the last change.
 */
export function exportedMarkdown(
  { conversations }: ExportedConversations,
  { words, dayOf }: ExportedMarkdownOptions,
): string {
  return conversations
    .map(({ name, title, turns, shownId, lastActiveAt, draft = '' }) => {
      const shown = pathTo({ turns, shownId }, shownId);
      const day = dayOf(shown.at(-1)?.askedAt ?? lastActiveAt);
      const parts = [`# ${name || title}\n`, `${day}\n`, ...(shown.length > 0 ? [turnsMarkdown(shown, words)] : [])];
      return [...parts, ...(draft === '' ? [] : [`${draft}\n`])].join('\n');
    })
    .join('\n---\n\n');
}
