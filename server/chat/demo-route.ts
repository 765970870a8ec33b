import { type ErrorRequestHandler, type Request, Router } from 'express';
import { demoErrorCodes } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { AppError } from '../app-error.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { sendError } from '../http/error-handler.ts';
import { HttpError } from '../http/http-error.ts';
import { jsonBody, takeBody } from '../http/json-body.ts';
import { postOnly } from '../http/post-only.ts';
import { addToRequestLog } from '../http/request-log.ts';
import { outlasting } from '../http/request-over.ts';
import { errorsAnsweredBy } from '../http/requests-under-way.ts';
import { createTextReply, type TextReply } from '../http/text-reply.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Model } from '../model/model.ts';
import { demoPrompt } from '../prompt/demo-prompt.ts';
import { conclude, exchange, exchangeFields } from './exchange.ts';
import { demoMessages } from './request-messages.ts';

type Options = {
  clientAddress: ClientAddress;
  limiter: Limiter;
  model: Model;
  maxBodyBytes: number;
  maxMessages: number;
  cut: AbortSignal;
};

/** `POST /api/chat/demo`: public, on the fictional engagement. It knows no session and no database. */
export function createDemoRoute({ clientAddress, limiter, model, maxBodyBytes, maxMessages, cut }: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });

  /** Sends the conversation to the model. Apart from what follows, so that nothing holds it for as long as the reply comes. */
  function ask(request: Request, reply: TextReply) {
    const messages = demoMessages(takeBody(request), maxMessages);
    return exchange(model, { system: demoPrompt, messages, maxTokens: 2048, effort: 'medium' }, reply, [cut]);
  }

  router.post(
    routes.demoChat,
    errorsAnsweredBy(narrowErrors),
    async (request, _response, next) => {
      const admitted = limiter.take(clientAddress(request));
      model.prepare();
      await admitted;
      next();
    },
    jsonBody(maxBodyBytes),
    outlasting(async (request, response) => {
      const reply = createTextReply(response);
      const result = await ask(request, reply);
      addToRequestLog(response, exchangeFields(result));
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
