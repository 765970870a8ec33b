import type { ExportedConversations } from '../chat/exported-conversations.ts';
import { conversationMarkdown } from './copy-conversation.ts';

/** All conversations of an export as one text in Markdown, as each was shown, drafts included. */
export function exportedMarkdown({ conversations }: ExportedConversations): string {
  return conversations
    .map(({ name, title, turns, draft = '' }) => {
      const said = `# ${name || title}\n\n${conversationMarkdown(turns)}`;
      return draft === '' ? said : `${said}\n${draft}\n`;
    })
    .join('\n---\n\n');
}
