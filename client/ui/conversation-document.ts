import type { Turn } from '../chat/turn.ts';

type DocumentTurn = Pick<Turn, 'question' | 'reply' | 'ending'>;

/** A conversation as one document, with what the document says itself, in the reader's language. */
export type ConversationDocument = {
  title: string;
  /** The day on which something was last asked, as it is written there; where that is not known, today. */
  date: string;
  turns: readonly DocumentTurn[];
  words: { you: string; assistant: string; notAnswered: string; notComplete: string };
};

/** The document as Markdown: who said what under a heading each, and where a reply is not whole. */
export function conversationMarkdown({ title, date, turns, words }: ConversationDocument): string {
  const sections = turns.flatMap(({ question, reply, ending }) => {
    const asked = `## ${words.you}\n\n${question}`;
    if (reply === '') return [asked, `*${words.notAnswered}*`];
    const answered = `## ${words.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done' ? [asked, answered] : [asked, answered, `*${words.notComplete}*`];
  });
  return `${[`# ${title}`, date, ...sections].join('\n\n')}\n`;
}
