import { estimateTokens } from '../prompt/prompt-estimate.ts';
import type { Exchange } from './exchange.ts';

/**
 * What a turn that is over counts against its budgets: every token that the provider reported. It reports the output only
 * at the end, so the output of a reply that was cut is estimated from the text that came. Where it reported nothing,
 * because it refused the turn for example, `promptTokens` counts, the prompt's estimate: the question is stored all the same.
 */
export function usedTokens({ text, outcome: { usage, ending } }: Exchange, promptTokens: number): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens;
  if (input > 0 && ending === 'complete') return input + outputTokens;
  return (input || promptTokens) + Math.max(outputTokens, estimateTokens(text));
}
