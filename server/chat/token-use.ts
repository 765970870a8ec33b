import { type BudgetScope, budgetSentences } from '../../shared/errors.ts';
import { modelOptions } from '../../shared/interface.ts';
import { type Message, messageText } from '../../shared/messages.ts';
import { AppError } from '../app-error.ts';
import type { ModelResult } from '../model/anthropic-model.ts';
import { composeLivePrompt, demoPrompt } from '../prompt/prompts.ts';

/**
 * `reserved` counts until the turn ends. `prompt` is used if the provider does not report input tokens. `failed` is used for a turn
 * that the provider refuses, or that fails before any output.
 */
export type TokenEstimates = { reserved: number; prompt: number; failed: number };

/** A turn that fails still counts its stored question, so that a budget also limits how much a user can store. */
export function estimateLiveTurn(messages: readonly Message[], question: string): TokenEstimates {
  return estimateTurn('live', messages, estimateTokens(Buffer.byteLength(question)));
}

export function estimateDemoTurn(messages: readonly Message[]): TokenEstimates {
  return estimateTurn('demo', messages, 0);
}

export function budgetError(scope: BudgetScope, retryAfterSeconds: number): AppError {
  const sentence = budgetSentences[scope];
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence, refusedBy: { budget: scope } });
}

/**
 * Returns the tokens that a finished turn counts against its budgets. The provider reports output tokens only at the end, so
 * the output of an incomplete reply is estimated from everything received, including thinking. If the provider has not
 * reported input tokens (because the client disconnected early, for example), the estimate of the prompt is used.
 */
export function usedTokens(
  { usage, streamedBytes, ending }: ModelResult,
  estimates: Pick<TokenEstimates, 'prompt' | 'failed'>,
): number {
  if (ending === 'failed' && streamedBytes === 0) return estimates.failed;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens || estimates.prompt;
  if (ending === 'complete' && outputTokens > 0) return input + outputTokens;
  return input + Math.max(outputTokens, estimateTokens(streamedBytes));
}

/** The typical number of UTF-8 bytes per token. In a rare script, a character can take several tokens. */
const bytesPerToken = 4;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** The size of each system prompt. For live chat, it excludes the facts, so it is the same for every user. */
const promptBytes = {
  live: bytesOf(
    composeLivePrompt({
      organization: { name: '', industry: null, size: null },
      user: { name: null, role: null },
      engagement: null,
      today: '2026-01-01',
    }).map(({ text }) => text),
  ),
  demo: bytesOf(demoPrompt.map(({ text }) => text)),
};

function estimateTurn(route: 'live' | 'demo', messages: readonly Message[], failed: number): TokenEstimates {
  const prompt = estimateTokens(promptBytes[route] + bytesOf(messages.map(messageText)));
  return { reserved: prompt + modelOptions[route].maxTokens, prompt, failed };
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}
