import type { Response } from 'express';
import { type BudgetOwner, budgetSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { nameOrNull } from '../http/logger.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { Model, ModelOutcome, ModelRequest } from '../model/anthropic-model.ts';
import { estimateTokens } from '../prompt/prompts.ts';

/** A reply that has ended. */
export type StreamedReply = {
  /** What the client was sent, or would have been sent had it stayed. */
  text: string;
  outcome: ModelOutcome;
  /** Why the reply is incomplete, if its client is still connected. */
  error: AppError | null;
};

/**
 * Streams one reply from the model to the client. If the client disconnects or one of `ends` aborts, the provider's request is
 * aborted at once. `ends` outlive the reply: the process stops, or the session has ended. An `AppError` as the reason of one is
 * the error that the client receives.
 */
export async function streamReply(
  model: Model,
  request: ModelRequest,
  reply: TextReply,
  ends: readonly AbortSignal[],
): Promise<StreamedReply> {
  const pieces: string[] = [];
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (!reply.isOpen) abort();
  // `AbortSignal.any` would leave a listener on these long-lived signals after every turn.
  for (const signal of [reply.interrupted, ...ends]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  }
  const send = (text: string) => {
    pieces.push(text);
    return reply.write(text);
  };
  try {
    const outcome = await model.reply(request, send, stop.signal);
    return { text: pieces.join(''), outcome, error: outcome.error ?? endError(reply, outcome, ends) };
  } finally {
    for (const signal of ends) signal.removeEventListener('abort', abort);
  }
}

/** A client whose reply is cut at shutdown before its first text may send the request again, to another instance. */
function endError(reply: TextReply, { ending }: ModelOutcome, ends: readonly AbortSignal[]): AppError | null {
  const end = ends.find((signal) => signal.aborted);
  if (ending !== 'aborted' || end === undefined || !reply.isOpen) return null;
  return end.reason instanceof AppError ? end.reason : new AppError('UPSTREAM_OVERLOADED');
}

/**
 * Ends the response, with the error line if the reply failed after its first text.
 * @throws the reply's error if nothing has been sent, so that the response gets the error's status
 */
export function endReply(reply: TextReply, { error }: StreamedReply): void {
  if (error !== null && !reply.hasStarted) throw error;
  reply.end(error === null ? undefined : 'UPSTREAM_ERROR');
}

/** The fields of the request's log line. */
export function replyFields({
  outcome: { usage, ending, stopReason, model, providerRequestId },
  error,
}: StreamedReply) {
  return {
    ...usage,
    ending,
    // The provider may send any text here.
    stopReason: nameOrNull(stopReason),
    model: nameOrNull(model),
    providerRequestId: nameOrNull(providerRequestId),
    ...(error !== null && { code: error.code, err: error }),
  };
}

/** Refuses a turn because a budget is used up; the request's log line says whose. */
export function budgetUsedUp(response: Response, whose: BudgetOwner, retryAfterSeconds: number): AppError {
  response.locals.context.addToLog({ budget: whose });
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence: budgetSentences[whose] });
}

/**
 * The tokens that a finished turn counts against its budgets: all that the provider reported. It reports the output only at the
 * end, so the output of a reply that was cut is estimated from all received content, thinking included. If it reported no input,
 * for example because it refused the turn, `promptTokens`, the estimate, counts.
 */
export function usedTokens({ outcome: { usage, streamedBytes, ending } }: StreamedReply, promptTokens: number): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens || promptTokens;
  if (ending === 'complete' && outputTokens > 0) return input + outputTokens;
  return input + Math.max(outputTokens, estimateTokens(streamedBytes));
}
