import { hasReply } from '../chat/turn.ts';
import { joinContinuations } from '../library/continued-reply.ts';
import { copiedHtml, escapeHtml } from '../markdown/copied-html.ts';
import type { ConversationDocument } from './conversation-document.ts';

/** A reply's headings are nested below its speaker's heading. */
export function conversationHtml({ title, date, turns, labelOf }: ConversationDocument): string {
  const sections = joinContinuations(turns).flatMap(({ question, reply, ending, isImported }) => {
    const lines = question
      .split(/\r\n?|\n/)
      .map(escapeHtml)
      .join('<br>');
    const origin = isImported ? `<p><em>${escapeHtml(labelOf('imported'))}</em></p>\n` : '';
    const questionSection = `<h2>${escapeHtml(labelOf('you'))}</h2>\n${origin}<p>${lines}</p>`;
    if (!hasReply({ reply })) return [questionSection, `<p><em>${escapeHtml(labelOf('notAnswered'))}</em></p>`];
    const replySection = `<h2>${escapeHtml(labelOf('assistant'))}</h2>\n${copiedHtml(reply, { topLevel: 3 })}`;
    if (ending?.type === 'done') return [questionSection, replySection];
    return [questionSection, replySection, `<p><em>${escapeHtml(labelOf('notComplete'))}</em></p>`];
  });
  return [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(date)}</p>`, ...sections].join('\n');
}
