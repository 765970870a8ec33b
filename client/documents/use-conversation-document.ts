import { useFormatter, useTranslations } from 'use-intl/react';
import type { Turn } from '../chat/turn.ts';
import { fileName, saveFile } from '../controls/save-file.ts';
import { titleOf } from '../device/conversation-records.ts';
import { type ConversationDocument, conversationMarkdown, type DocumentWords } from './conversation-document.ts';

/**
 * What can be done with a conversation as one document. `turns` are those that are shown; `name` is what the person calls
 * the conversation, whose first question names it otherwise.
 */
export function useConversationDocument(turns: readonly Turn[], name?: string) {
  const t = useTranslations('conversationDocument');
  const dayOf = useDocumentDay();
  const words = useDocumentWords();
  const title = name || titleOf(turns[0]?.question ?? '') || t('untitled');

  const made = (): ConversationDocument => ({
    title,
    date: dayOf(turns.at(-1)?.askedAt ?? Date.now()),
    turns,
    words,
  });

  return {
    title,

    markdown: () => conversationMarkdown(made()),

    /** For programs that take formatted text. Fails where what makes it cannot be fetched. */
    async html(): Promise<string> {
      const { conversationHtml } = await import('./conversation-html.ts');
      return conversationHtml(made());
    },

    download(): void {
      saveFile({ name: fileName(title, 'md'), type: 'text/markdown', text: conversationMarkdown(made()) });
    },

    /** Opens the browser's own dialog, which also saves a PDF; that gets the page's title for its name. */
    print(): void {
      const pageTitle = document.title;
      const restore = () => {
        document.title = pageTitle;
      };
      window.addEventListener('afterprint', restore, { once: true });
      document.title = title;
      window.print();
    },
  };
}

/** How a document writes the day of a moment, in the language of the interface. */
export function useDocumentDay(): (moment: number) => string {
  const format = useFormatter();
  return (moment) => format.dateTime(moment, { dateStyle: 'long' });
}

/** What a document of conversations says itself, in the language of the interface. */
export function useDocumentWords(): DocumentWords {
  const t = useTranslations('conversationDocument');
  return {
    you: t('you'),
    assistant: t('assistant'),
    notAnswered: t('notAnswered'),
    notComplete: t('notComplete'),
  };
}
