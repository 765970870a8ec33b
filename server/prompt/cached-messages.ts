import type { Message } from '../../shared/messages.ts';
import { cacheBreakpoint } from './system-block.ts';

type CacheableTextBlock = { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } };

/** A message as the model provider takes it. */
export type CacheableMessage = { role: Message['role']; content: string | CacheableTextBlock[] };

/**
 * The same messages with a cache breakpoint on the last block of the last one, so that the next turn, which replays
 * them all, reads them from the provider's cache. The input is left as it is.
 */
export function withCacheBreakpoint(messages: readonly Message[]): CacheableMessage[] {
  const last = messages.length - 1;
  return messages.map((message, index) => (index === last ? endingInBreakpoint(message) : message));
}

function endingInBreakpoint({ role, content }: Message): CacheableMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const last = blocks.length - 1;
  return { role, content: blocks.map((block, index) => (index === last ? { ...block, ...cacheBreakpoint } : block)) };
}
