import type { Response } from 'express';
import { type BudgetScope, budgetSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { nameOrNull } from '../http/logger.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { Model, ModelOutcome, ModelRequest } from '../model/anthropic-model.ts';
import { estimateTokens } from '../prompt/prompts.ts';

export type StreamedReply = {
  /** All text of the model, including text that arrived after the client disconnected. */
  text: string;
  outcome: ModelOutcome;
  /** The error to report to the client; null if the reply is complete or the client has disconnected. */
  error: AppError | null;
};

/**
 * Streams one reply from the model to the client. Aborts the provider's request when the client disconnects or one of
 * `endSignals` aborts: at shutdown, or when the session has ended. If the reason of that signal is an `AppError`, the
 * client receives it.
 */
export async function streamReply(
  model: Model,
  request: ModelRequest,
  reply: TextReply,
  endSignals: readonly AbortSignal[],
): Promise<StreamedReply> {
  const pieces: string[] = [];
  const providerAbort = new AbortController();
  const abort = () => providerAbort.abort();
  if (!reply.isOpen) abort();
  // `AbortSignal.any` would keep a combined signal per turn alive on these long-lived signals.
  for (const signal of [reply.interrupted, ...endSignals]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  }
  const send = (text: string) => {
    pieces.push(text);
    return reply.write(text);
  };
  try {
    const outcome = await model.reply(request, send, providerAbort.signal);
    return { text: pieces.join(''), outcome, error: outcome.error ?? endSignalError(reply, outcome, endSignals) };
  } finally {
    for (const signal of endSignals) signal.removeEventListener('abort', abort);
  }
}

/** At shutdown the client gets `UPSTREAM_OVERLOADED`, which it may retry at another instance. */
function endSignalError(
  reply: TextReply,
  { ending }: ModelOutcome,
  endSignals: readonly AbortSignal[],
): AppError | null {
  const fired = endSignals.find((signal) => signal.aborted);
  if (ending !== 'aborted' || fired === undefined || !reply.isOpen) return null;
  return fired.reason instanceof AppError ? fired.reason : new AppError('UPSTREAM_OVERLOADED');
}

/**
 * Ends the response, appending the error line if the reply failed after its first text.
 * @throws the reply's error if nothing has been sent yet, so that the response gets its status
 */
export function endReply(reply: TextReply, { error }: StreamedReply): void {
  if (error !== null && !reply.hasStarted) throw error;
  reply.end(error === null ? undefined : 'UPSTREAM_ERROR');
}

export function replyLogFields({
  outcome: { usage, ending, stopReason, model, providerRequestId },
  error,
}: StreamedReply) {
  return {
    ...usage,
    ending,
    // These come from the provider and can be arbitrary text.
    stopReason: nameOrNull(stopReason),
    model: nameOrNull(model),
    providerRequestId: nameOrNull(providerRequestId),
    ...(error !== null && { code: error.code, err: error }),
  };
}

/** Creates the error for an exhausted budget, and adds the budget's scope to the request's log line. */
export function budgetExceeded(response: Response, scope: BudgetScope, retryAfterSeconds: number): AppError {
  response.locals.context.addToLog({ budget: scope });
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence: budgetSentences[scope] });
}

/** Estimates of a turn. `failed` is what it uses if the provider refuses it or fails before any output. */
export type TokenEstimates = { prompt: number; failed: number };

/**
 * Returns the tokens that a finished turn uses of its budgets. The provider reports output tokens only at the end, so
 * for an incomplete reply the output is estimated from everything received, including thinking. If it reported no input
 * tokens (the client disconnected before, for example), the estimate of the prompt is used.
 */
export function usedTokens({ outcome }: StreamedReply, estimates: TokenEstimates): number {
  const { usage, streamedBytes, ending } = outcome;
  if (ending === 'failed' && streamedBytes === 0) return estimates.failed;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens || estimates.prompt;
  if (ending === 'complete' && outputTokens > 0) return input + outputTokens;
  return input + Math.max(outputTokens, estimateTokens(streamedBytes));
}
