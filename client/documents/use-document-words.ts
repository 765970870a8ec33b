import { useTranslations } from 'use-intl/react';
import type { DocumentWords } from './conversation-document.ts';

/** What a document of conversations says itself, in the language of the interface. */
export function useDocumentWords(): DocumentWords {
  const say = useTranslations('conversationDocument');
  return {
    you: say('you'),
    assistant: say('assistant'),
    notAnswered: say('notAnswered'),
    notComplete: say('notComplete'),
  };
}
