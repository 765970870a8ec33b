import { pathTo } from '../chat/conversation-tree.ts';
import { hasReply, type Turn } from '../chat/turn.ts';
import type { ExportedConversations } from '../conversations/conversation-file.ts';

type DocumentTurn = Pick<Turn, 'question' | 'reply' | 'ending' | 'isContinuation'>;

/** The labels in the document, in the interface language. */
export type DocumentLabels = { you: string; assistant: string; notAnswered: string; notComplete: string };

export type ConversationDocument = {
  title: string;
  /** The formatted date of the last question; today if it is unknown. */
  date: string;
  turns: readonly DocumentTurn[];
  labels: DocumentLabels;
};

/** Includes the title and the date. */
export function conversationMarkdown({ title, date, turns, labels }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, labels)}`;
}

/** Returns the turns as Markdown: a heading per speaker, and a remark after an incomplete reply. */
function turnsMarkdown(turns: readonly DocumentTurn[], labels: DocumentLabels): string {
  const sections = joinContinuations(turns).flatMap(({ question, reply, ending }) => {
    const questionSection = `## ${labels.you}\n\n${question}`;
    if (!hasReply({ reply })) return [questionSection, `*${labels.notAnswered}*`];
    const replySection = `## ${labels.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done'
      ? [questionSection, replySection]
      : [questionSection, replySection, `*${labels.notComplete}*`];
  });
  return `${sections.join('\n\n')}\n`;
}

/** Appends the reply of each continuation to the reply that it continues, because the page shows them as one reply. */
export function joinContinuations(turns: readonly DocumentTurn[]): DocumentTurn[] {
  const joined: DocumentTurn[] = [];
  for (const turn of turns) {
    const previous = turn.isContinuation ? joined.pop() : undefined;
    joined.push(previous ? { ...previous, reply: `${previous.reply}\n\n${turn.reply}`, ending: turn.ending } : turn);
  }
  return joined;
}

type ExportedMarkdownOptions = { labels: DocumentLabels; dayOf: (moment: number) => string };

/**
 * Formats all exported conversations as one Markdown document, each with its visible turns, its draft, and the date of the last
 * question, or of the last change if that is unknown.
 */
export function exportedMarkdown(
  { conversations }: ExportedConversations,
  { labels, dayOf }: ExportedMarkdownOptions,
): string {
  return conversations
    .map(({ name, title, turns, shownId, lastActiveAt, draft = '' }) => {
      const shownTurns = pathTo({ turns }, shownId);
      const day = dayOf(shownTurns.at(-1)?.askedAt ?? lastActiveAt);
      const parts = [
        `# ${name || title}\n`,
        `${day}\n`,
        ...(shownTurns.length > 0 ? [turnsMarkdown(shownTurns, labels)] : []),
      ];
      return [...parts, ...(draft === '' ? [] : [`${draft}\n`])].join('\n');
    })
    .join('\n---\n\n');
}
