import type { Response } from 'express';
import { type BudgetScope, budgetSentences, type ErrorCode } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { nameOrNull } from '../http/logger.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { ModelReply, ModelResult } from '../model/anthropic-model.ts';
import { estimateTokens } from '../prompt/prompts.ts';

export type TurnEnd = {
  /**
   * The error that the client gets if no text has been sent. `fromProvider` stands for the code of the provider's failure. With
   * null it gets no error: the reply is empty, or the client cannot be reached.
   */
  beforeText: ErrorCode | 'fromProvider' | null;
  /** The code of the error line that the client gets after text. */
  afterText: ErrorCode | null;
  /** Whether live chat stores a reply without text too. Text is always stored. */
  storesEmpty: boolean;
  /** In the log line and in the metrics. */
  ending: ModelResult['ending'];
};

/** `error` has the code of `beforeText`, or is null with it. It is logged even if text has been sent. */
export type EndedTurn = TurnEnd & { error: AppError | null };

/** `text` is all text that arrived before the reply ended or was aborted, whether or not the client has received it. */
export type StreamedReply = { text: string; result: ModelResult };

export async function streamReply(modelReply: ModelReply, reply: TextReply): Promise<StreamedReply> {
  const pieces: string[] = [];
  const result = await modelReply.stream((piece) => {
    pieces.push(piece);
    return reply.write(piece);
  });
  return { text: pieces.join(''), result };
}

/** @throws the error of `end` if nothing has been sent yet, so that the response gets its status */
export function endReply(reply: TextReply, { error, afterText }: EndedTurn): void {
  if (error !== null && !reply.hasStarted) throw error;
  reply.end(afterText ?? undefined);
}

export function replyLogFields({ usage, stopReason, model, providerRequestId }: ModelResult, end: EndedTurn) {
  const { ending, error } = end;
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

export function budgetExceeded(response: Response, scope: BudgetScope, retryAfterSeconds: number): AppError {
  response.locals.context.addToLog({ budget: scope });
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence: budgetSentences[scope] });
}

/** `failed` is used for a turn that the provider refuses, or that fails before any output. */
export type TokenEstimates = { prompt: number; failed: number };

/**
 * Returns the tokens that a finished turn counts against its budgets. The provider reports output tokens only at the end, so
 * the output of an incomplete reply is estimated from everything received, including thinking. If the provider has not
 * reported input tokens (because the client disconnected early, for example), the estimate of the prompt is used.
 */
export function usedTokens({ usage, streamedBytes, ending }: ModelResult, estimates: TokenEstimates): number {
  if (ending === 'failed' && streamedBytes === 0) return estimates.failed;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens || estimates.prompt;
  if (ending === 'complete' && outputTokens > 0) return input + outputTokens;
  return input + Math.max(outputTokens, estimateTokens(streamedBytes));
}
