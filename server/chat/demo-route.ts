import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { AppError } from '../app-error.ts';
import { errorsAnsweredBy } from '../http/process/requests-under-way.ts';
import { sendError } from '../http/replies/error-handler.ts';
import { createTextReply, type TextReply } from '../http/replies/text-reply.ts';
import type { ClientAddress } from '../http/requests/client-address.ts';
import { HttpError } from '../http/requests/http-error.ts';
import { jsonBody, takeBody } from '../http/requests/json-body.ts';
import { postOnly } from '../http/requests/post-only.ts';
import { addToRequestLog } from '../http/requests/request-log.ts';
import { outlasting } from '../http/requests/request-over.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model } from '../model/model.ts';
import { demoPrompt } from '../prompt/demo-prompt.ts';
import { estimateDemoPrompt } from '../prompt/prompt-estimate.ts';
import { budgetUsedUp } from './budget-refusal.ts';
import { conclude, type Exchange, exchange, exchangeFields } from './exchange.ts';
import { demoMessages } from './request-messages.ts';
import { usedTokens } from './used-tokens.ts';

const maxTokens = 2048;

type Options = {
  clientAddress: ClientAddress;
  limiter: Limiter;
  budget: TokenBudget | undefined;
  model: Model;
  maxBodyBytes: number;
  maxMessages: number;
  cut: AbortSignal;
};

/** `POST /api/chat/demo`: public, on the fictional engagement. It knows no session and no database. */
export function createDemoRoute(options: Options): Router {
  const { clientAddress, limiter, budget, model, maxBodyBytes, maxMessages, cut } = options;
  const router = Router({ caseSensitive: true, strict: true });

  /** Reserves what the turn may use; gives how it is settled. */
  async function reserve(response: Response, promptTokens: number) {
    const reserved = await budget?.reserve(promptTokens + maxTokens);
    if (reserved === undefined) return undefined;
    if ('retryAfterSeconds' in reserved) throw budgetUsedUp(response, 'demo', reserved.retryAfterSeconds);
    return (result: Exchange) => reserved.settle(usedTokens(result, promptTokens));
  }

  /** Sends the conversation to the model. Apart from what follows, so that nothing holds it for as long as the reply comes. */
  async function ask(request: Request, response: Response, reply: TextReply) {
    const messages = demoMessages(takeBody(request), maxMessages);
    const settle = budget && (await reserve(response, estimateDemoPrompt(messages)));
    const replying = exchange(model, { system: demoPrompt, messages, maxTokens, effort: 'medium' }, reply, [cut]);
    return { settle, replying };
  }

  router.post(
    routes.demoChat,
    errorsAnsweredBy(narrowErrors),
    async (request, _response, next) => {
      await limiter.take(clientAddress(request));
      next();
    },
    jsonBody(maxBodyBytes),
    outlasting(async (request, response) => {
      const reply = createTextReply(response);
      const { settle, replying } = await ask(request, response, reply);
      const result = await replying;
      addToRequestLog(response, exchangeFields(result));
      // Nobody waits for it: what is asked next comes after it on the same connection.
      void settle?.(result);
      conclude(reply, result);
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
