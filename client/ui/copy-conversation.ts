import type { Turn } from '../chat/turn.ts';

/** A whole conversation as Markdown: who said what under a heading each, and where a reply is not whole. */
export function conversationMarkdown(turns: readonly Turn[]): string {
  return `${turns.flatMap(turnSections).join('\n\n')}\n`;
}

function turnSections({ question, reply, ending }: Turn): string[] {
  const asked = `## You\n\n${question}`;
  if (reply === '') return [asked, '*Not answered.*'];
  const answered = `## Assistant\n\n${reply.trimEnd()}`;
  return ending?.type === 'done' ? [asked, answered] : [asked, answered, '*This reply is not complete.*'];
}
