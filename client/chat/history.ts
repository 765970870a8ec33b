import type { Message } from '../../shared/messages.ts';
import type { Turn } from './turn.ts';

/** How many bytes of earlier turns go along with a question: well under the server's limit on a request's body. */
export const historyBudgetBytes = 256 * 1024;

/**
 * The messages of a request: the earlier turns that fit the budget, oldest dropped first, then the question.
 * Turns go whole, so the list begins with the user and alternates. A question that got no answer is left out: what made
 * it fail would fail the next turn as well.
 */
export function requestMessages(
  earlier: readonly Turn[],
  question: string,
  budgetBytes = historyBudgetBytes,
): Message[] {
  const messages: Message[] = [{ role: 'user', content: question }];
  let remainingBytes = budgetBytes;
  for (const turn of earlier.filter(({ reply }) => reply !== '').reverse()) {
    const pair: Message[] = [
      { role: 'user', content: turn.question },
      { role: 'assistant', content: turn.reply },
    ];
    remainingBytes -= new TextEncoder().encode(JSON.stringify(pair)).length;
    if (remainingBytes < 0) break;
    messages.unshift(...pair);
  }
  return messages;
}
