import { pathTo } from '../chat/conversation-tree.ts';
import { hasReply, type Turn } from '../chat/turn.ts';
import { joinContinuations } from '../library/continued-reply.ts';
import type { ExportedConversations } from '../library/conversation-file.ts';

/** Returns a label in the language of the page. */
type LabelOf = (name: 'you' | 'assistant' | 'imported' | 'notAnswered' | 'notComplete') => string;

export type ConversationDocument = {
  title: string;
  /** The formatted date of the last question; today if it is unknown. */
  date: string;
  turns: readonly Turn[];
  labelOf: LabelOf;
};

export function conversationMarkdown({ title, date, turns, labelOf }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, labelOf)}`;
}

function turnsMarkdown(turns: readonly Turn[], labelOf: LabelOf): string {
  const sections = joinContinuations(turns).flatMap(({ question, reply, ending, isImported }) => {
    const origin = isImported ? `*${labelOf('imported')}*\n\n` : '';
    const questionSection = `## ${labelOf('you')}\n\n${origin}${question}`;
    if (!hasReply({ reply })) return [questionSection, `*${labelOf('notAnswered')}*`];
    const replySection = `## ${labelOf('assistant')}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done'
      ? [questionSection, replySection]
      : [questionSection, replySection, `*${labelOf('notComplete')}*`];
  });
  return `${sections.join('\n\n')}\n`;
}

type ExportedMarkdownOptions = { labelOf: LabelOf; dayOf: (moment: number) => string };

/**
 * Formats all exported conversations as one Markdown document. Each has its visible turns, its draft, and the date of the last
 * question, or of the last activity if that is unknown.
 */
export function exportedMarkdown(
  { conversations }: ExportedConversations,
  { labelOf, dayOf }: ExportedMarkdownOptions,
): string {
  return conversations
    .map(({ name, title, turns, shownId, lastActiveAt, draft = '' }) => {
      const shownTurns = pathTo({ turns }, shownId);
      const day = dayOf(shownTurns.at(-1)?.askedAt ?? lastActiveAt);
      const parts = [
        `# ${name || title}\n`,
        `${day}\n`,
        ...(shownTurns.length > 0 ? [turnsMarkdown(shownTurns, labelOf)] : []),
      ];
      return [...parts, ...(draft === '' ? [] : [`${draft}\n`])].join('\n');
    })
    .join('\n---\n\n');
}
