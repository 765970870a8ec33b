import { type Request, type RequestHandler, type Response, Router } from 'express';
import { headers, promptVersion, routes } from '../../shared/interface.ts';
import { messageText } from '../../shared/messages.ts';
import type { Database } from '../database/database.ts';
import { createId } from '../database/ids.ts';
import { type Budgets, createNewIds } from '../database/turns.ts';
import { createTextReply, type TextReply } from '../http/replies/text-reply.ts';
import { jsonBody, takeBody } from '../http/requests/json-body.ts';
import { postOnly } from '../http/requests/post-only.ts';
import { logIds, requestIdOf } from '../http/requests/request-id.ts';
import { addToRequestLog } from '../http/requests/request-log.ts';
import { outlasting, whenOver } from '../http/requests/request-over.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Model, ModelRequest } from '../model/model.ts';
import { withCacheBreakpoint } from '../prompt/cached-messages.ts';
import { composeLivePrompt } from '../prompt/live-prompt.ts';
import { estimateLivePrompt } from '../prompt/prompt-estimate.ts';
import { budgetUsedUp } from './budget-refusal.ts';
import { conclude, type Exchange, exchange, exchangeFields } from './exchange.ts';
import type { LateWrites } from './late-writes.ts';
import { liveRequest } from './request-messages.ts';
import { usedTokens } from './used-tokens.ts';

const maxTokens = 4096;

type Options = {
  /** Let a signed-in, onboarded user pass and refuse everybody else. */
  guards: readonly RequestHandler[];
  /** Whom the guards let pass. */
  currentUser: (request: Request) => { id: string; organization: { id: string } };
  limiter: Limiter;
  turns: Database['turns'];
  budgets: Budgets;
  lateWrites: LateWrites;
  /** Does `work`, and does it again where the database has just gone: what `response` answers waits for it. */
  outlast: <T>(response: Response, work: () => Promise<T>) => Promise<T>;
  model: Model;
  /** A signal that aborts when the request's session has been ended; `forget` it when the reply is over. */
  watchSession: (request: Request) => { ended: AbortSignal; forget: () => void };
  maxBodyBytes: number;
  maxMessages: number;
  cut: AbortSignal;
};

/** `POST /api/chat`: one turn of a signed-in user, conditioned on their engagement, streamed and stored. */
export function createLiveRoute(options: Options): Router {
  const {
    guards,
    currentUser,
    limiter,
    turns,
    budgets,
    lateWrites,
    outlast,
    model,
    watchSession,
    maxBodyBytes,
    maxMessages,
    cut,
  } = options;
  const hasBudget = budgets.user !== undefined || budgets.organization !== undefined;
  const router = Router({ caseSensitive: true, strict: true });

  const limit: RequestHandler = async (request, response, next) => {
    const { id: userId, organization } = currentUser(request);
    addToRequestLog(response, { userId, orgId: organization.id });
    await limiter.take(userId);
    next();
  };

  /**
   * Stores the question and sends it to the model. Apart from what follows, so that nothing holds prompt and conversation
   * for as long as the reply comes.
   */
  async function ask(request: Request, response: Response, reply: TextReply, ended: AbortSignal) {
    const { messages, question, conversationId: named } = liveRequest(takeBody(request), maxMessages);
    const { id: userId, organization } = currentUser(request);
    const scope = { userId, orgId: organization.id, requestId: requestIdOf(response) };
    const asked = { ...scope, conversationId: named, content: messageText(question), newIds: createNewIds() };

    const reserved = hasBudget ? { id: createId(), promptTokens: estimateLivePrompt(messages) } : undefined;
    const opened = await outlast(response, async () => {
      // Each time: an answer that waited for the database as well comes before the next question.
      await lateWrites.catchUp(asked);
      if (reserved === undefined) return turns.open(asked);
      return turns.openWithinBudgets(asked, { id: reserved.id, tokens: reserved.promptTokens + maxTokens, budgets });
    });
    if ('refused' in opened) throw budgetUsedUp(response, opened.refused.whose, opened.refused.retryAfterSeconds);
    const { conversationId, facts } = opened;
    // Also on a failure: the client's retry then continues the conversation that has the question already.
    if (!response.headersSent) response.setHeader(headers.conversationId, conversationId);
    addToRequestLog(response, { conversationId });

    const today = new Date().toISOString().slice(0, 10);
    const modelRequest: ModelRequest = {
      system: composeLivePrompt({ ...facts, today }),
      messages: withCacheBreakpoint(messages),
      maxTokens,
      effort: 'high',
    };
    const replying = exchange(model, modelRequest, reply, [cut, ended]);
    return { scope, conversationId, reserved, replying };
  }

  router.post(
    routes.liveChat,
    ...guards,
    limit,
    jsonBody(maxBodyBytes),
    outlasting(async (request, response) => {
      const reply = createTextReply(response, { [headers.promptVersion]: promptVersion });
      const { ended, forget } = watchSession(request);
      whenOver(response, forget);
      const { scope, conversationId, reserved, replying } = await ask(request, response, reply, ended);
      const result = await replying;
      addToRequestLog(response, exchangeFields(result));

      const settlement = reserved && { id: reserved.id, tokens: usedTokens(result, reserved.promptTokens) };
      const late = { ids: logIds(response), userId: scope.userId, conversationId };
      if (leavesAnswer(result)) {
        const { usage, stopReason, model: answeredBy } = result.outcome;
        const answer = {
          ...scope,
          ...usage,
          id: createId(),
          conversationId,
          content: result.text,
          stopReason,
          model: answeredBy,
          promptVersion,
        };
        await lateWrites.write({ ...late, job: () => turns.close(answer, settlement) });
      } else if (settlement !== undefined) {
        await lateWrites.write({ ...late, job: () => turns.settle(scope, settlement) });
      }
      conclude(reply, result);
    }),
  );
  router.all(routes.liveChat, postOnly);

  return router;
}

/** A turn that failed or was left before any text has no answer. */
function leavesAnswer({ text, outcome }: Exchange): boolean {
  return text !== '' || outcome.ending === 'complete';
}
