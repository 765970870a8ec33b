import type { Turn } from '../chat/turn.ts';

type DocumentTurn = Pick<Turn, 'question' | 'reply' | 'ending'>;

/** What a document says itself, in the reader's language. */
export type DocumentWords = { you: string; assistant: string; notAnswered: string; notComplete: string };

/** A conversation as one document. */
export type ConversationDocument = {
  title: string;
  /** The day on which something was last asked, as it is written there; where that is not known, today. */
  date: string;
  turns: readonly DocumentTurn[];
  words: DocumentWords;
};

/** The document as Markdown, with its title and its day. */
export function conversationMarkdown({ title, date, turns, words }: ConversationDocument): string {
  return `# ${title}\n\n${date}\n\n${turnsMarkdown(turns, words)}`;
}

/** What was said, as Markdown: who said it as a heading each, and where a reply is not whole. */
export function turnsMarkdown(turns: readonly DocumentTurn[], words: DocumentWords): string {
  const sections = turns.flatMap(({ question, reply, ending }) => {
    const asked = `## ${words.you}\n\n${question}`;
    if (reply === '') return [asked, `*${words.notAnswered}*`];
    const answered = `## ${words.assistant}\n\n${reply.trimEnd()}`;
    return ending?.type === 'done' ? [asked, answered] : [asked, answered, `*${words.notComplete}*`];
  });
  return `${sections.join('\n\n')}\n`;
}
