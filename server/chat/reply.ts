import type { Response } from 'express';
import { type BudgetOwner, budgetSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { nameOrNull } from '../http/logger.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { Model, ModelOutcome, ModelRequest } from '../model/anthropic-model.ts';
import { estimateTokens } from '../prompt/prompts.ts';

/** A reply that is over. */
export type StreamedReply = {
  /** What the client was sent, or would have been had it stayed. */
  text: string;
  outcome: ModelOutcome;
  /** Why the reply is not whole, where somebody is still there to be told. */
  error: AppError | null;
};

/**
 * Streams one reply from the model to the client, piece by piece. When the client leaves, or one of `ends` aborts, the
 * provider's request is aborted at once. `ends` outlive the reply: the process has to end, or the session was ended. The
 * reason of one is the error that its client is told. It holds `request` only until it is sent.
 */
export function streamReply(
  model: Model,
  request: ModelRequest,
  reply: TextReply,
  ends: readonly AbortSignal[],
): Promise<StreamedReply> {
  const pieces: string[] = [];
  const stop = new AbortController();
  const abort = () => stop.abort();
  // Not by `AbortSignal.any`, of which `ends` would keep a trace for every turn.
  for (const signal of [reply.left, ...ends]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  }
  const take = (text: string) => {
    pieces.push(text);
    return reply.write(text);
  };
  return model
    .reply(request, take, stop.signal)
    .finally(() => {
      for (const signal of ends) signal.removeEventListener('abort', abort);
    })
    .then((outcome) => ({
      text: pieces.join(''),
      outcome,
      error: outcome.error ?? endError(reply, outcome, ends),
    }));
}

/** A reply that the shutdown cut before its first text may be asked for again, from another instance. */
function endError(reply: TextReply, { ending }: ModelOutcome, ends: readonly AbortSignal[]): AppError | null {
  const end = ends.find((signal) => signal.aborted);
  if (ending !== 'aborted' || end === undefined || reply.left.aborted) return null;
  return end.reason instanceof AppError ? end.reason : new AppError('UPSTREAM_OVERLOADED');
}

/**
 * Ends the response; after its first text a failure is appended, always in the same words.
 * @throws the reply's error where nothing has been sent yet, so that it gets its own status
 */
export function endReply(reply: TextReply, { error }: StreamedReply): void {
  if (error !== null && !reply.begun) throw error;
  reply.end(error === null ? undefined : 'UPSTREAM_ERROR');
}

/** What the request's log line says of it. */
export function replyFields({
  outcome: { usage, ending, stopReason, model, providerRequestId },
  error,
}: StreamedReply) {
  return {
    ...usage,
    ending,
    // As the provider stated them, which may state anything.
    stopReason: nameOrNull(stopReason),
    model: nameOrNull(model),
    providerRequestId: nameOrNull(providerRequestId),
    ...(error !== null && { code: error.code, err: error }),
  };
}

/** The refusal of a turn for which a budget has nothing left; the request's log line says whose budget it is. */
export function budgetUsedUp(response: Response, whose: BudgetOwner, retryAfterSeconds: number): AppError {
  response.locals.context.addToLog({ budget: whose });
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence: budgetSentences[whose] });
}

/**
 * What a turn that is over counts against its budgets: every token that the provider reported. It reports the output only
 * at the end, so the output of a reply that was cut is estimated from all content that came, thinking included. If it
 * reported no input, for example because it refused the turn, `promptTokens` counts, the prompt's estimate.
 */
export function usedTokens({ outcome: { usage, streamedBytes, ending } }: StreamedReply, promptTokens: number): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens || promptTokens;
  if (ending === 'complete' && outputTokens > 0) return input + outputTokens;
  return input + Math.max(outputTokens, estimateTokens(streamedBytes));
}
