import { estimateTokens } from '../prompt/prompt-estimate.ts';
import type { Exchange } from './exchange.ts';

/**
 * What a turn that is over counts against its budgets: every token that the provider reported. It reports the output only
 * at the end, so that of a reply which was cut the text that came is estimated. `promptTokens` is the prompt's estimate,
 * which counts where the reply was cut before the provider had reported anything: it had begun to read by then, if it had
 * been asked.
 */
export function usedTokens({ text, asked, outcome: { usage, ending } }: Exchange, promptTokens: number): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens;
  if (ending === 'complete') return input + outputTokens;
  const hasReport = input + outputTokens > 0;
  const prompt = ending === 'aborted' && asked && !hasReport ? promptTokens : input;
  return prompt + Math.max(outputTokens, estimateTokens(text));
}
