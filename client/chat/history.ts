import { bodyLimits } from '../../shared/body-limits.ts';
import { routes } from '../../shared/interface.ts';
import { isBlank, type Message } from '../../shared/messages.ts';
import type { Turn } from './turn.ts';

/**
 * Returns the limit for all messages of a request to the chat route at `url`. Leaves one KiB of the body limit for the other fields.
 * A path that a proxy has changed can lead to demo chat, so its lower limit applies.
 */
export function maxRequestBytes(url: string): number {
  const isLive = new URL(url, 'http://localhost').pathname.endsWith(routes.liveChat);
  return (isLive ? bodyLimits.liveChat : bodyLimits.demoChat) - 1024;
}

/** The limit for the earlier turns in a request, well below the server's limit on messages. */
export const maxHistoryTurns = 500;

/**
 * Returns the messages of a request: the latest turns, at most `maxHistoryTurns`, that fit the budget together with the question,
 * then the question. Turns are never split, so roles alternate from `user` on. Turns with a blank question or reply are omitted,
 * because the service and the model provider refuse blank texts.
 */
export function requestMessages(earlier: readonly Turn[], question: string, budgetBytes: number): Message[] {
  const last: Message = { role: 'user', content: question };
  const included = earlier.slice(firstIncludedIndex(earlier, budgetBytes - bytesOf([last]))).filter(isAnswered);
  return [...included.flatMap(messagesOf), last];
}

/** Returns whether some answered turns no longer fit into the next request, even if its question is short. */
export function exceedsHistory(turns: readonly Turn[], budgetBytes: number): boolean {
  return turns.slice(0, firstIncludedIndex(turns, budgetBytes)).some(isAnswered);
}

function firstIncludedIndex(turns: readonly Turn[], budgetBytes: number): number {
  let remainingBytes = budgetBytes;
  let remainingTurns = maxHistoryTurns;
  for (const [index, turn] of [...turns.entries()].reverse()) {
    if (!isAnswered(turn)) continue;
    remainingBytes -= bytesOf(messagesOf(turn));
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

function bytesOf(messages: readonly Message[]): number {
  return new TextEncoder().encode(JSON.stringify(messages)).length;
}

function isAnswered({ question, reply }: Turn): boolean {
  return !isBlank(question) && !isBlank(reply);
}
