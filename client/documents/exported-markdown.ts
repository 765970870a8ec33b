import { pathTo } from '../chat/conversation-tree.ts';
import type { ExportedConversations } from '../conversations/exported-conversations.ts';
import { type DocumentWords, turnsMarkdown } from './conversation-document.ts';

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
