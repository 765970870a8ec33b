import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { modelOptions, routes } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { AppError, HttpError } from '../app-error.ts';
import { postOnly, sendError } from '../http/errors.ts';
import { jsonBody } from '../http/json-body.ts';
import { streamsText, type TextReply } from '../http/text-reply.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model } from '../model/anthropic-model.ts';
import { demoPrompt, estimatePrompt } from '../prompt/prompts.ts';
import { takeOnce } from '../take-once.ts';
import { budgetUsedUp, endReply, replyFields, type StreamedReply, streamReply, usedTokens } from './reply.ts';
import { requireDemoMessages } from './request-messages.ts';
import type { StreamCeiling } from './stream-ceiling.ts';

const { maxTokens, effort } = modelOptions.demo;

type Parts = {
  config: { maxBodyBytes: number; maxMessages: number };
  streams: StreamCeiling;
  /** Counts the request for its address, or refuses it. */
  limit: RequestHandler;
  demoBudget: TokenBudget | undefined;
  model: Model;
  /** Ends the replies in flight. */
  cut: AbortSignal;
};

/** `POST /api/chat/demo`: public, on the fictional engagement, without session and database. */
export function createDemoRoute(parts: Parts): Router {
  const { config, streams, limit, demoBudget, model, cut } = parts;

  /** In the order in which they apply. */
  const checks = [
    streams.admitDemo, // 503 UPSTREAM_OVERLOADED
    limit, // 429 RATE_LIMITED
    jsonBody(config.maxBodyBytes), // 400 INVALID_JSON, 413
    requireDemoMessages(config.maxMessages), // 400 MISSING_MESSAGES, 413, and 502 UPSTREAM_ERROR for a malformed message
    // The budget, 429 RATE_LIMITED, is checked by `open`, which estimates the tokens of the messages.
  ];

  async function turn(request: Request<object, string, () => Message[]>, response: Response, reply: TextReply) {
    const { prompt, settle } = await open(request.body, response);
    const streamed = await streamReply(model, { prompt, maxTokens, effort }, reply, [cut]);
    response.locals.context.addToLog(replyFields(streamed));
    // The response does not wait for this: the next request on the same connection to Redis comes after it.
    void settle(streamed);
    endReply(reply, streamed);
  }

  /** If there is a budget, reserves the tokens that the turn may use. */
  async function open(takeMessages: () => Message[], response: Response) {
    const messages = takeMessages();
    const prompt = takeOnce({ system: demoPrompt, messages });
    if (demoBudget === undefined) return { prompt, settle: async () => undefined };
    const promptTokens = estimatePrompt('demo', messages);
    const reserved = await demoBudget.reserve(promptTokens + maxTokens);
    if ('retryAfterSeconds' in reserved) throw budgetUsedUp(response, 'demo', reserved.retryAfterSeconds);
    const settle = (streamed: StreamedReply) => reserved.settle(usedTokens(streamed, promptTokens));
    return { prompt, settle };
  }

  return Router({ caseSensitive: true, strict: true })
    .post(routes.demoChat, ...checks, streamsText({}, turn))
    .all(routes.demoChat, postOnly)
    .use(routes.demoChat, narrowErrors);
}

/** Demo chat has five error codes: any other error becomes `UPSTREAM_ERROR`, and the log has the original one. */
const narrowErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof HttpError || response.headersSent) return next(error);
  const actual = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const known = demoErrorCodes.includes(actual.code);
  sendError(response, known ? actual : new AppError('UPSTREAM_ERROR'), actual);
};
