import { isBlank, type Message } from '../../shared/messages.ts';
import type { Turn } from './turn.ts';

/** The limit of the earlier turns in a request, well under the server's limit on a request's body. */
export const historyBudgetBytes = 256 * 1024;

/** The limit of the earlier turns in a request, well under the server's limit on messages. */
export const historyBudgetTurns = 500;

/**
 * Returns the messages of a request: the earlier turns that fit the budget, without the oldest ones, then the question. Turns are
 * never split, so roles alternate from `user` on. Questions without a reply are omitted, because what made them fail would fail the
 * next turn too. Turns with a blank text are omitted, because the service and the model provider refuse them.
 */
export function requestMessages(
  earlier: readonly Turn[],
  question: string,
  budgetBytes = historyBudgetBytes,
): Message[] {
  const included = earlier.slice(firstIncludedIndex(earlier, budgetBytes)).filter(isAnswered);
  return [...included.flatMap(messagesOf), { role: 'user', content: question }];
}

/** Returns whether the next request will omit some of `turns`. */
export function exceedsHistory(turns: readonly Turn[], budgetBytes = historyBudgetBytes): boolean {
  return turns.slice(0, firstIncludedIndex(turns, budgetBytes)).some(isAnswered);
}

/** Returns the index of the oldest turn that fits the budget together with all later ones. */
function firstIncludedIndex(turns: readonly Turn[], budgetBytes: number): number {
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
