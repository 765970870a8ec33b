import { hasReply, type Turn } from '../chat/turn.ts';
import { joinContinuations } from '../library/continued-reply.ts';

export type DocumentLabels = {
  you: string;
  assistant: string;
  imported: string;
  notAnswered: string;
  notComplete: string;
};

export type ConversationDocument = {
  title: string;
  /** The formatted date of the last question; today if it is unknown. */
  date: string;
  turns: readonly Turn[];
  labels: DocumentLabels;
};

export function conversationMarkdown({ title, date, turns, labels }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, labels)}`;
}

export function turnsMarkdown(turns: readonly Turn[], labels: DocumentLabels): string {
  const sections = joinContinuations(turns).flatMap(({ question, reply, ending, isImported }) => {
    const origin = isImported ? `*${labels.imported}*\n\n` : '';
    const questionSection = `## ${labels.you}\n\n${origin}${question}`;
    if (!hasReply({ reply })) return [questionSection, `*${labels.notAnswered}*`];
    const replySection = `## ${labels.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done'
      ? [questionSection, replySection]
      : [questionSection, replySection, `*${labels.notComplete}*`];
  });
  return `${sections.join('\n\n')}\n`;
}
