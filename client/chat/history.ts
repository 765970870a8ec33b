import { isBlank, type Message } from '../../shared/messages.ts';
import type { Turn } from './turn.ts';

/** The most bytes of earlier turns that are sent with a question: well under the server's limit on a request's body. */
export const historyBudgetBytes = 256 * 1024;

/** The most earlier turns that are sent with a question: well under the server's limit on messages. */
export const historyBudgetTurns = 500;

/**
 * The messages of a request: the earlier turns that fit the budget, oldest dropped first, then the question.
 * Turns go whole, so the list begins with the user and alternates. A question without a reply is omitted: what made it fail
 * would fail the next turn as well. So is a turn with a blank text, which the service and the model provider refuse.
 */
export function requestMessages(
  earlier: readonly Turn[],
  question: string,
  budgetBytes = historyBudgetBytes,
): Message[] {
  const replayed = earlier.slice(firstReplayed(earlier, budgetBytes)).filter(isAnswered);
  return [...replayed.flatMap(messagesOf), { role: 'user', content: question }];
}

/** Whether some of `turns` are too old to be sent with the next question. */
export function exceedsHistory(turns: readonly Turn[], budgetBytes = historyBudgetBytes): boolean {
  return turns.slice(0, firstReplayed(turns, budgetBytes)).some(isAnswered);
}

/** The index of the oldest turn that fits the budget together with all that follow it. */
function firstReplayed(turns: readonly Turn[], budgetBytes: number): number {
  let remainingBytes = budgetBytes;
  let remainingTurns = historyBudgetTurns;
  for (const [index, turn] of [...turns.entries()].reverse()) {
    if (!isAnswered(turn)) continue;
    remainingBytes -= bytesOf(turn);
    remainingTurns -= 1;
    if (remainingBytes < 0 || remainingTurns < 0) return index + 1;
  }
  return 0;
}

function messagesOf({ question, reply }: Turn): Message[] {
  return [
    { role: 'user', content: question },
    { role: 'assistant', content: reply },
  ];
}

function bytesOf(turn: Turn): number {
  return new TextEncoder().encode(JSON.stringify(messagesOf(turn))).length;
}

function isAnswered({ question, reply }: Turn): boolean {
  return !isBlank(question) && !isBlank(reply);
}
