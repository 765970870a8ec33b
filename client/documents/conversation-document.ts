import { pathTo } from '../chat/conversation-tree.ts';
import { hasReply, type Turn } from '../chat/turn.ts';
import type { ExportedConversations } from '../conversations/conversation-file.ts';

type DocumentTurn = Pick<Turn, 'question' | 'reply' | 'ending'>;

/** The document's own words, in the interface language. */
export type DocumentWords = { you: string; assistant: string; notAnswered: string; notComplete: string };

export type ConversationDocument = {
  title: string;
  /** The formatted date of the last question; today if it is unknown. */
  date: string;
  turns: readonly DocumentTurn[];
  words: DocumentWords;
};

/** Includes the title and the date. */
export function conversationMarkdown({ title, date, turns, words }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, words)}`;
}

/** The turns as Markdown: a heading per speaker, and a remark after an incomplete reply. */
export function turnsMarkdown(turns: readonly DocumentTurn[], words: DocumentWords): string {
  const sections = turns.flatMap(({ question, reply, ending }) => {
    const questionSection = `## ${words.you}\n\n${question}`;
    if (!hasReply({ reply })) return [questionSection, `*${words.notAnswered}*`];
    const replySection = `## ${words.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done'
      ? [questionSection, replySection]
      : [questionSection, replySection, `*${words.notComplete}*`];
  });
  return `${sections.join('\n\n')}\n`;
}

type ExportedMarkdownOptions = { words: DocumentWords; dayOf: (moment: number) => string };

/**
 * All conversations of an export as one Markdown text, each with its shown turns, its unsent text, and the date of the last
 * question, or of the last change if that is unknown.
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
