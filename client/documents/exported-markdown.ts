import { pathTo } from '../chat/conversation-tree.ts';
import type { ExportedConversations } from '../library/conversation-file.ts';
import { type DocumentLabels, turnsMarkdown } from './conversation-document.ts';

type ExportedMarkdownOptions = { labels: DocumentLabels; dayOf: (moment: number) => string };

/**
 * Formats all exported conversations as one Markdown document. Each has its visible turns, its draft, and the date of the last
 * question, or of the last activity if that is unknown.
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
