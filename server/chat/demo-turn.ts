import { addAbortListener } from 'node:events';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { readDemoRequest } from '../../shared/chat-requests.ts';
import { demoErrorCodes } from '../../shared/errors.ts';
import { modelOptions } from '../../shared/interface.ts';
import { AppError, HttpError, requireAccepted } from '../app-error.ts';
import { sendError } from '../http/errors.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model, ModelResult } from '../model/anthropic-model.ts';
import { demoPrompt } from '../prompt/prompts.ts';
import { budgetError, estimateDemoTurn, usedTokens } from './token-use.ts';
import { createTurnController, endReply, replyLogFields } from './turn-end.ts';

type DemoTurnOptions = {
  budget: TokenBudget | undefined;
  model: Model;
  graceEnded: AbortSignal;
};

/** Creates the same turn as `createLiveTurn`, without session and database. */
export function createDemoTurn({ budget, model, graceEnded }: DemoTurnOptions) {
  async function turn(request: Request, response: Response, reply: TextReply): Promise<void> {
    const { signal, abort, endOf } = createTurnController();
    reply.onCutShort(abort);
    using _shutdown = addAbortListener(graceEnded, () => abort('shuttingDown'));

    const { settle, modelReply } = await start(request, signal);
    const result = await modelReply.stream(reply.write);
    const end = endOf(result);
    response.locals.context.addToLog(replyLogFields(result, end));
    // The response does not wait for this: commands on the Redis connection are ordered, so the next request to
    // this process sees the settled budget.
    void settle(result);
    endReply(reply, end);
  }

  /** Separate from `turn`, so that `turn` does not keep the prompt in memory while the reply streams. */
  async function start(request: Request, signal: AbortSignal) {
    const { messages } = requireAccepted(readDemoRequest(request.body));
    request.body = undefined;
    const estimates = estimateDemoTurn(messages);
    const settle = await reserve(estimates.reserved);
    try {
      const modelReply = model.start({ prompt: { system: demoPrompt, messages }, ...modelOptions.demo }, signal);
      return { modelReply, settle: (result: ModelResult) => settle(usedTokens(result, estimates)) };
    } catch (error) {
      void settle(estimates.failed);
      throw error;
    }
  }

  async function reserve(tokens: number): Promise<(usedTokens: number) => Promise<void>> {
    const reserved = await budget?.reserve(tokens);
    if (reserved === undefined) return async () => undefined;
    if ('retryAfterSeconds' in reserved) throw budgetError('demo', reserved.retryAfterSeconds);
    return reserved.settle;
  }

  return turn;
}

/** Demo chat may send only five error codes. Any other code is sent as `UPSTREAM_ERROR`, and the original is logged. */
export const narrowErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof HttpError || response.headersSent) return next(error);
  const actual = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const known = demoErrorCodes.includes(actual.code);
  sendError(response, known ? actual : new AppError('UPSTREAM_ERROR'), actual);
};
