import { useFormatter, useTranslations } from 'use-intl/react';
import { fileName, saveFile } from '../browser/save-file.ts';
import type { Turn } from '../chat/turn.ts';
import { titleOf } from '../device/conversation-title.ts';
import { type ConversationDocument, conversationMarkdown } from './conversation-document.ts';

/** `turns` are the visible ones. Without a `name`, the first question determines the title. */
export function useConversationDocument(turns: readonly Turn[], name?: string) {
  const t = useTranslations('conversationDocument');
  const dayOf = useDayFormatter();
  const title = name || titleOf(turns[0]?.question ?? '') || t('untitled');

  const createDocument = (): ConversationDocument => ({
    title,
    date: dayOf(turns.at(-1)?.askedAt ?? Date.now()),
    turns,
    labelOf: t,
  });

  return {
    toMarkdown: () => conversationMarkdown(createDocument()),

    /** Rejects if the renderer cannot be loaded. */
    async toHtml(): Promise<string> {
      const { conversationHtml } = await import('./conversation-html.ts');
      return conversationHtml(createDocument());
    },

    download(): void {
      saveFile({ name: fileName(title, 'md'), type: 'text/markdown', text: conversationMarkdown(createDocument()) });
    },

    async print(): Promise<void> {
      try {
        const { printConversation } = await import('./print-conversation.ts');
        await printConversation(
          title,
          turns.map(({ reply }) => reply),
        );
      } catch {
        // The code could not be loaded: the page is printed as it is.
        window.print();
      }
    },
  };
}

export function useDayFormatter(): (moment: number) => string {
  const format = useFormatter();
  return (moment) => format.dateTime(moment, { dateStyle: 'long' });
}
