/** One block of a system prompt, as the model provider takes it. */
export type SystemBlock = { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } };

/**
 * Spread into a block, it has the provider keep everything up to and including that block in its cache.
 * A request may carry at most four: a live prompt has three, the last message the fourth.
 */
export const cacheBreakpoint = { cache_control: { type: 'ephemeral' } } as const;

export function systemBlock(text: string): SystemBlock {
  return { type: 'text', text };
}

export function systemBlockWithBreakpoint(text: string): SystemBlock {
  return { ...systemBlock(text), ...cacheBreakpoint };
}
