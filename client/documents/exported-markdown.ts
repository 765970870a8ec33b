import { pathTo } from '../chat/conversation-tree.ts';
import type { ExportedConversations } from '../conversations/exported-conversations.ts';
import { type DocumentWords, turnsMarkdown } from './conversation-document.ts';

/** All conversations of an export as one text in Markdown, each as it was shown, with what was typed and not sent. */
export function exportedMarkdown({ conversations }: ExportedConversations, words: DocumentWords): string {
  return conversations
    .map(({ name, title, turns, shownId, draft = '' }) => {
      const shown = pathTo({ turns, shownId }, shownId);
      const parts = [`# ${name || title}\n`, ...(shown.length > 0 ? [turnsMarkdown(shown, words)] : [])];
      return [...parts, ...(draft === '' ? [] : [`${draft}\n`])].join('\n');
    })
    .join('\n---\n\n');
}
