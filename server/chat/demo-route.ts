import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { modelOptions, routes } from '../../shared/interface.ts';
import { AppError, HttpError } from '../app-error.ts';
import { postOnly, sendError } from '../http/errors.ts';
import { jsonBody, takeBody } from '../http/json-body.ts';
import { outlasting } from '../http/request-context.ts';
import { createTextReply, type TextReply } from '../http/text-reply.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model } from '../model/anthropic-model.ts';
import { demoPrompt, estimatePrompt } from '../prompt/prompts.ts';
import { budgetUsedUp, endReply, replyFields, type StreamedReply, streamReply, usedTokens } from './reply.ts';
import { demoMessages } from './request-messages.ts';

const { maxTokens, effort } = modelOptions.demo;

type Options = {
  /** Counts the request for its address, or refuses it. */
  limit: RequestHandler;
  budget: TokenBudget | undefined;
  model: Model;
  maxBodyBytes: number;
  maxMessages: number;
  cut: AbortSignal;
};

/** `POST /api/chat/demo`: public, on the fictional engagement. It knows no session and no database. */
export function createDemoRoute(options: Options): Router {
  const { limit, budget, model, maxBodyBytes, maxMessages, cut } = options;
  const router = Router({ caseSensitive: true, strict: true });

  /** Reserves what the turn may use; gives how it is settled. */
  async function reserve(response: Response, promptTokens: number) {
    const reserved = await budget?.reserve(promptTokens + maxTokens);
    if (reserved === undefined) return undefined;
    if ('retryAfterSeconds' in reserved) throw budgetUsedUp(response, 'demo', reserved.retryAfterSeconds);
    return (streamed: StreamedReply) => reserved.settle(usedTokens(streamed, promptTokens));
  }

  /** Sends the conversation to the model. Apart from what follows, so that nothing holds it for as long as the reply comes. */
  async function ask(request: Request, response: Response, reply: TextReply) {
    const messages = demoMessages(takeBody(request), maxMessages);
    const settle = budget && (await reserve(response, estimatePrompt('demo', messages)));
    const streaming = streamReply(model, { system: demoPrompt, messages, maxTokens, effort }, reply, [cut]);
    return { settle, streaming };
  }

  router.post(
    routes.demoChat,
    limit,
    jsonBody(maxBodyBytes),
    outlasting(async (request, response) => {
      const reply = createTextReply(response);
      const { settle, streaming } = await ask(request, response, reply);
      const streamed = await streaming;
      response.locals.context.addToLog(replyFields(streamed));
      // Nobody waits for it: what is asked next comes after it on the same connection.
      void settle?.(streamed);
      endReply(reply, streamed);
    }),
  );
  router.all(routes.demoChat, postOnly);
  router.use(routes.demoChat, narrowErrors);

  return router;
}

/** Demo chat answers with its five codes only: whatever else went wrong is `UPSTREAM_ERROR`, and logged as what it was. */
const narrowErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof HttpError || response.headersSent) return next(error);
  const actual = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const known = demoErrorCodes.includes(actual.code);
  sendError(response, known ? actual : new AppError('UPSTREAM_ERROR'), actual);
};
