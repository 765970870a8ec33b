import { type Request, type RequestHandler, type Response, Router } from 'express';
import { headers, modelOptions, promptVersion, routes } from '../../shared/interface.ts';
import { messageText } from '../../shared/messages.ts';
import type { Database } from '../database/database.ts';
import { type Budgets, createNewIds } from '../database/turns.ts';
import { createId } from '../database/values.ts';
import { postOnly } from '../http/errors.ts';
import { jsonBody, takeBody } from '../http/json-body.ts';
import { outlasting, principalOf } from '../http/request-context.ts';
import { createTextReply, type TextReply } from '../http/text-reply.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Model } from '../model/anthropic-model.ts';
import { composeLivePrompt, estimatePrompt, withCacheBreakpoint } from '../prompt/prompts.ts';
import type { LateWrites } from './late-writes.ts';
import { budgetUsedUp, endReply, replyFields, type StreamedReply, streamReply, usedTokens } from './reply.ts';
import { type LiveRequest, liveRequest } from './request-messages.ts';

const { maxTokens, effort } = modelOptions.live;

type Options = {
  /** Let a signed-in, onboarded user pass and refuse everybody else. */
  guards: readonly RequestHandler[];
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

/** A turn whose question is stored. `reserved` is what it may use of the budgets, where there are any. */
type OpenTurn = {
  userId: string;
  orgId: string;
  requestId: string;
  conversationId: string;
  reserved: { id: string; promptTokens: number } | undefined;
};

/** `POST /api/chat`: one turn of a signed-in user, conditioned on their engagement, streamed and stored. */
export function createLiveRoute(options: Options): Router {
  const { guards, limiter, turns, budgets, lateWrites, outlast, model, watchSession, maxBodyBytes, maxMessages, cut } =
    options;
  const hasBudget = budgets.user !== undefined || budgets.organization !== undefined;

  const limit: RequestHandler = async (_request, response, next) => {
    const { id: userId, organization } = principalOf(response);
    response.locals.context.addToLog({ userId, orgId: organization.id });
    await limiter.take(userId);
    next();
  };

  const turn: RequestHandler = async (request, response) => {
    const { context } = response.locals;
    const reply = createTextReply(response, { [headers.promptVersion]: promptVersion });
    const { ended, forget } = watchSession(request);
    context.whenOver(forget);
    const { opened, streaming } = await ask(request, response, reply, ended);
    const streamed = await streaming;
    context.addToLog(replyFields(streamed));
    await close(response, opened, streamed);
    endReply(reply, streamed);
  };

  /** Opens the turn and begins its stream. Apart, so that nothing holds prompt and conversation while the reply comes. */
  async function ask(request: Request, response: Response, reply: TextReply, ended: AbortSignal) {
    const { messages, question, conversationId } = liveRequest(takeBody(request), maxMessages);
    const { facts, ...opened } = await open(response, { conversationId, question, messages });
    const system = composeLivePrompt({ ...facts, today: new Date().toISOString().slice(0, 10) });
    const prompt = { system, messages: withCacheBreakpoint(messages), maxTokens, effort } as const;
    return { opened, streaming: streamReply(model, prompt, reply, [cut, ended]) };
  }

  /** Stores the question, and reserves what the turn may use where there are budgets. */
  async function open(response: Response, { conversationId: named, question, messages }: LiveRequest) {
    const { context } = response.locals;
    const { id: userId, organization } = principalOf(response);
    // As the log has it: a header's whole length, stored with each message, would cost more than the text.
    const { requestId } = context.ids;
    const scope = { userId, orgId: organization.id, requestId };
    const asked = { ...scope, conversationId: named, content: messageText(question), newIds: createNewIds() };
    const reserved = hasBudget ? { id: createId(), promptTokens: estimatePrompt('live', messages) } : undefined;

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
    context.addToLog({ conversationId });
    return { ...scope, conversationId, reserved, facts };
  }

  /** Stores the answer, and settles what the turn had reserved. A turn that failed before any text has no answer. */
  async function close(response: Response, { reserved, ...scope }: OpenTurn, streamed: StreamedReply): Promise<void> {
    const { text, outcome } = streamed;
    const settlement = reserved && { id: reserved.id, tokens: usedTokens(streamed, reserved.promptTokens) };
    const line = { ids: response.locals.context.ids, userId: scope.userId, conversationId: scope.conversationId };
    if (text !== '' || outcome.ending === 'complete') {
      const { usage, stopReason, model: answeredBy } = outcome;
      const answer = {
        ...scope,
        ...usage,
        id: createId(),
        content: text,
        stopReason,
        model: answeredBy,
        promptVersion,
      };
      await lateWrites.write({ ...line, job: () => turns.close(answer, settlement) });
    } else if (settlement !== undefined) {
      await lateWrites.write({ ...line, job: () => turns.settle(scope, settlement) });
    }
  }

  return Router({ caseSensitive: true, strict: true })
    .post(routes.liveChat, ...guards, limit, jsonBody(maxBodyBytes), outlasting(turn))
    .all(routes.liveChat, postOnly);
}
