import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { maxDemoBodyBytes, modelOptions, routes } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { AppError, HttpError } from '../app-error.ts';
import { postOnly, sendError } from '../http/errors.ts';
import type { Bodies } from '../http/json-body.ts';
import type { CountAgainst } from '../http/request-limit.ts';
import { streamsText, type TextReply } from '../http/text-reply.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model } from '../model/anthropic-model.ts';
import { demoPrompt, estimatePromptTokens } from '../prompt/prompts.ts';
import { takeOnce } from '../take-once.ts';
import { budgetExceeded, endReply, replyLogFields, type StreamedReply, streamReply, usedTokens } from './reply.ts';
import { requireDemoMessages } from './request-messages.ts';
import type { StreamLimit } from './stream-limit.ts';

const { maxTokens, effort } = modelOptions.demo;

type Parts = {
  config: { maxBodyBytes: number };
  streams: StreamLimit;
  bodies: Bodies;
  countAgainst: CountAgainst;
  demoBudget: TokenBudget | undefined;
  model: Model;
  /** The signal aborts when replies in flight must end. */
  graceEnded: AbortSignal;
};

/** `POST /api/chat/demo`: public, about a fictional engagement, and independent of session and database. */
export function createDemoRoute(parts: Parts): Router {
  const { config, streams, bodies, countAgainst, demoBudget, model, graceEnded } = parts;

  const body = bodies.upTo(Math.min(config.maxBodyBytes, maxDemoBodyBytes));

  /** Order matters: the first check that fails determines the response. */
  const checks = [
    streams.admitDemo, // 503 UPSTREAM_OVERLOADED
    body.admit, // 503 UPSTREAM_OVERLOADED
    countAgainst('demo'), // 429 RATE_LIMITED
    body.parseJson, // 400 INVALID_JSON, 408, 413, 503
    requireDemoMessages, // 400 MISSING_MESSAGES, 413, and 502 UPSTREAM_ERROR for a malformed message
    // The budget, 429 RATE_LIMITED, is checked by `open`, which estimates the tokens of the messages.
  ];

  async function turn(request: Request<object, string, () => Message[]>, response: Response, reply: TextReply) {
    const { prompt, settle } = await open(request.body, response);
    const streamed = await streamReply(model, { prompt, maxTokens, effort }, reply, [graceEnded]);
    response.locals.context.addToLog(replyLogFields(streamed));
    // The response does not wait for this: commands on the Redis connection are ordered, so the next request sees the
    // settled budget.
    void settle(streamed);
    endReply(reply, streamed);
  }

  /** Reserves the maximum tokens of the turn if demo chat has a budget. */
  async function open(takeMessages: () => Message[], response: Response) {
    const messages = takeMessages();
    const prompt = takeOnce({ system: demoPrompt, messages });
    if (demoBudget === undefined) return { prompt, settle: async () => undefined };
    const promptTokens = estimatePromptTokens('demo', messages);
    const reserved = await demoBudget.reserve(promptTokens + maxTokens);
    if ('retryAfterSeconds' in reserved) throw budgetExceeded(response, 'demo', reserved.retryAfterSeconds);
    const estimates = { prompt: promptTokens, failed: 0 };
    const settle = (streamed: StreamedReply) => reserved.settle(usedTokens(streamed, estimates));
    return { prompt, settle };
  }

  return Router({ caseSensitive: true, strict: true })
    .post(routes.demoChat, ...checks, streamsText({}, turn))
    .all(routes.demoChat, postOnly)
    .use(routes.demoChat, streams.releaseFailed, narrowErrors);
}

/** Demo chat may send only five error codes. Any other error is sent as `UPSTREAM_ERROR`, and the original is logged. */
const narrowErrors: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof HttpError || response.headersSent) return next(error);
  const actual = error instanceof AppError ? error : new AppError('INTERNAL', { cause: error });
  const known = demoErrorCodes.includes(actual.code);
  sendError(response, known ? actual : new AppError('UPSTREAM_ERROR'), actual);
};
