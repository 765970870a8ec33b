import { type Request, type RequestHandler, type Response, Router } from 'express';
import { headers, modelOptions, promptVersion, routes } from '../../shared/interface.ts';
import { type Message, messageText } from '../../shared/messages.ts';
import type { Database } from '../database/database.ts';
import type { Scope } from '../database/tenant.ts';
import { type Budgets, createNewIds, type OpenedTurn } from '../database/turns.ts';
import { createId } from '../database/values.ts';
import { postOnly } from '../http/errors.ts';
import type { Bodies } from '../http/json-body.ts';
import { principalOf } from '../http/request-context.ts';
import type { CountAgainst } from '../http/request-limit.ts';
import { streamsText, type TextReply } from '../http/text-reply.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Model, ModelRequest } from '../model/anthropic-model.ts';
import { composeLivePrompt, estimatePromptTokens, estimateTokens, withCacheBreakpoint } from '../prompt/prompts.ts';
import { takeOnce } from '../take-once.ts';
import type { LateWrites } from './late-writes.ts';
import {
  budgetExceeded,
  endReply,
  replyLogFields,
  type StreamedReply,
  streamReply,
  type TokenEstimates,
  usedTokens,
} from './reply.ts';
import type { ReplyWatch } from './reply-watch.ts';
import { type LiveRequest, requireLiveMessages } from './request-messages.ts';
import type { StreamLimit } from './stream-limit.ts';

const { maxTokens, effort } = modelOptions.live;

type Parts = {
  config: { maxBodyBytes: number; tokensPerDay: Budgets };
  /** The first two checks, passed in because features do not import each other. */
  session: readonly RequestHandler[];
  onboarded: RequestHandler;
  streams: StreamLimit;
  bodies: Bodies;
  countAgainst: CountAgainst;
  limiters: { live: Limiter };
  database: Pick<Database, 'turns' | 'outage'>;
  lateWrites: LateWrites;
  model: Model;
  replyWatch: ReplyWatch;
  /** A turn that waits for the database is refused once this aborts. */
  draining: AbortSignal;
  /** The signal aborts when replies in flight must end. */
  graceEnded: AbortSignal;
};

/** A turn whose question is stored. `reserved` is undefined if no budget applies. */
type Turn = Scope & {
  requestId: string;
  conversationId: string;
  reserved: { id: string; estimates: TokenEstimates } | undefined;
};

type Content = { facts: OpenedTurn['facts']; messages: readonly Message[] };

/** `POST /api/chat`: one turn of a signed-in user, conditioned on their engagement, streamed and stored. */
export function createLiveRoute(parts: Parts): Router {
  const {
    config,
    session,
    onboarded,
    countAgainst,
    limiters,
    streams,
    bodies,
    lateWrites,
    database,
    model,
    replyWatch,
    draining,
    graceEnded,
  } = parts;
  const { maxBodyBytes, tokensPerDay: budgets } = config;
  const { turns } = database;
  const hasBudget = budgets.user !== undefined || budgets.organization !== undefined;

  const body = bodies.upTo(maxBodyBytes);

  /** Order matters: the first check that fails determines the response. */
  const checks = [
    ...session, // 401 UNAUTHENTICATED
    onboarded, // 403 NOT_ONBOARDED
    streams.admitUser(limiters.live, lateWrites), // 503 UPSTREAM_OVERLOADED
    body.admit, // 503 UPSTREAM_OVERLOADED
    countAgainst('live'), // 429 RATE_LIMITED
    body.parseJson, // 400 INVALID_JSON, 408, 413, 503
    requireLiveMessages, // 400 MISSING_MESSAGES and LAST_MESSAGE_NOT_USER, 413
    // The budget, 429 RATE_LIMITED, is checked by `open`, in the transaction that stores the question.
  ];

  async function turn(request: Request<object, string, () => LiveRequest>, response: Response, reply: TextReply) {
    // The session lookup waits for an unavailable database; the client may have disconnected meanwhile.
    if (!reply.isOpen) return;
    const { context } = response.locals;
    const { ended, unwatch } = replyWatch.watch(request.sessionID);
    context.onFinished(unwatch);
    const { opened, content } = await open(request.body, response, reply);
    const prompt = compose(content);
    const streamed = await streamReply(model, { prompt, maxTokens, effort }, reply, [graceEnded, ended]);
    context.addToLog(replyLogFields(streamed));
    await close(opened, streamed, response);
    endReply(reply, streamed);
  }

  /** Stores the question, and reserves the maximum tokens of the turn if a budget applies. */
  async function open(takeRequest: () => LiveRequest, response: Response, reply: TextReply) {
    const { messages, question, conversationId: requestedId } = takeRequest();
    const { context } = response.locals;
    const { id: userId, organization } = principalOf(response);
    // Stores the truncated id: a header of full length, stored with each message, could be larger than the text.
    const scope = { userId, orgId: organization.id, requestId: context.ids.requestId };
    const content = messageText(question);
    const newTurn = { ...scope, conversationId: requestedId, content, newIds: createNewIds() };
    const reserved = hasBudget ? { id: createId(), estimates: estimatesOf(messages, content) } : undefined;

    const attempt = async () => {
      // Runs in each attempt, so that a pending answer is stored before the next question.
      await lateWrites.catchUp(newTurn);
      if (reserved === undefined) return turns.open(newTurn);
      return turns.openWithinBudgets(newTurn, {
        id: reserved.id,
        tokens: reserved.estimates.prompt + maxTokens,
        budgets,
      });
    };
    const stored = await database.outage.retry(attempt, [reply.interrupted, draining]);
    if ('refused' in stored) throw budgetExceeded(response, stored.refused.whose, stored.refused.retryAfterSeconds);
    const { conversationId, facts } = stored;
    // Failed turns have the header too, so that the retry continues the conversation that already has the question.
    if (!response.headersSent) response.setHeader(headers.conversationId, conversationId);
    context.addToLog({ conversationId });
    const opened: Turn = { ...scope, conversationId, reserved };
    return { opened, content: takeOnce<Content>({ facts, messages }) };
  }

  /** Stores the answer and settles the reservation. A turn that failed before any text has no answer. */
  async function close({ reserved, ...scope }: Turn, streamed: StreamedReply, response: Response): Promise<void> {
    const { text, outcome } = streamed;
    const settlement = reserved && { id: reserved.id, tokens: usedTokens(streamed, reserved.estimates) };
    const { userId, conversationId } = scope;
    const write = { ids: response.locals.context.ids, userId, conversationId };
    if (text !== '' || outcome.ending === 'complete') {
      const { usage, stopReason, model: answeringModel } = outcome;
      const answer = {
        ...scope,
        ...usage,
        id: createId(),
        content: text,
        stopReason,
        model: answeringModel,
        promptVersion,
      };
      await lateWrites.write({ ...write, job: () => turns.close(answer, settlement) });
    } else if (settlement !== undefined) {
      await lateWrites.write({ ...write, job: () => turns.settle(scope, settlement) });
    }
  }

  return Router({ caseSensitive: true, strict: true })
    .post(routes.liveChat, ...checks, streamsText({ [headers.promptVersion]: promptVersion }, turn))
    .all(routes.liveChat, postOnly)
    .use(routes.liveChat, streams.releaseFailed);
}

/** A turn that fails still counts its stored question, so that a budget also bounds what a user can store. */
function estimatesOf(messages: readonly Message[], question: string): TokenEstimates {
  return {
    prompt: estimatePromptTokens('live', messages),
    failed: estimateTokens(Buffer.byteLength(question)),
  };
}

function compose(takeContent: () => Content): ModelRequest['prompt'] {
  const { facts, messages } = takeContent();
  const system = composeLivePrompt({ ...facts, today: new Date().toISOString().slice(0, 10) });
  return takeOnce({ system, messages: withCacheBreakpoint(messages) });
}
