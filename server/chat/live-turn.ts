import { addAbortListener } from 'node:events';
import type { Request, Response } from 'express';
import { headers, modelOptions, promptVersion } from '../../shared/interface.ts';
import { type Message, messageText } from '../../shared/messages.ts';
import { AppError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import { type Budgets, createNewIds, type OpenedTurn, type Settlement } from '../database/serving/turns.ts';
import type { Scope } from '../database/tenant.ts';
import { createId } from '../database/values.ts';
import { userOf } from '../http/request-context.ts';
import type { TextReply } from '../http/text-reply.ts';
import { isTimeout, type Model, type ModelRequest, type ModelResult } from '../model/anthropic-model.ts';
import { composeLivePrompt, estimatePromptTokens, estimateTokens, withCacheBreakpoint } from '../prompt/prompts.ts';
import type { LateWrites } from './late-writes.ts';
import {
  budgetExceeded,
  type EndedTurn,
  endReply,
  replyLogFields,
  type StreamedReply,
  streamReply,
  type TokenEstimates,
  type TurnEnd,
  usedTokens,
} from './reply.ts';
import type { ReplyWatch } from './reply-watch.ts';
import { type LiveRequest, parseLiveRequest } from './request-messages.ts';

const { maxTokens, effort } = modelOptions.live;

/**
 * How a turn can end, and what follows. `npm run docs` prints this table for client authors and operators. Demo chat has
 * neither sessions nor stored replies.
 */
export const turnEnds = {
  complete: { beforeText: null, afterText: null, storesEmpty: true, ending: 'complete' },
  clientDisconnected: { beforeText: null, afterText: null, storesEmpty: false, ending: 'aborted' },
  clientStalled: { beforeText: null, afterText: null, storesEmpty: false, ending: 'aborted' },
  sessionEnded: {
    beforeText: 'UNAUTHENTICATED',
    afterText: 'UPSTREAM_ERROR',
    storesEmpty: false,
    ending: 'aborted',
  },
  shuttingDown: {
    beforeText: 'UPSTREAM_OVERLOADED',
    afterText: 'UPSTREAM_ERROR',
    storesEmpty: false,
    ending: 'aborted',
  },
  timedOut: { beforeText: 'UPSTREAM_ERROR', afterText: 'UPSTREAM_ERROR', storesEmpty: false, ending: 'failed' },
  providerFailed: { beforeText: 'fromProvider', afterText: 'UPSTREAM_ERROR', storesEmpty: false, ending: 'failed' },
} as const satisfies Record<string, TurnEnd>;

type Reason = keyof typeof turnEnds;
type ReasonToAbort = Exclude<Reason, 'complete' | 'timedOut' | 'providerFailed'>;

export type LiveTurnDependencies = {
  config: { tokensPerDay: Budgets };
  database: Pick<Database, 'turns' | 'outage'>;
  lateWrites: LateWrites;
  model: Model;
  replyWatch: ReplyWatch;
  /** A turn that waits for the database is refused once this aborts. */
  draining: AbortSignal;
  graceEnded: AbortSignal;
};

/** `reserved` is undefined if no budget applies. */
type StoredQuestion = Scope & {
  requestId: string;
  conversationId: string;
  reserved: { id: string; estimates: TokenEstimates } | undefined;
};

/** A turn of a signed-in user: parse, open, compose, start the provider's request, stream, close, end. */
export function createLiveTurn({ config, ...dependencies }: LiveTurnDependencies) {
  const { database, lateWrites, model, replyWatch, draining, graceEnded } = dependencies;
  const { turns } = database;
  const { tokensPerDay: budgets } = config;
  const hasBudget = budgets.user !== undefined || budgets.organization !== undefined;

  async function turn(request: Request, response: Response, reply: TextReply): Promise<void> {
    const { context } = response.locals;
    const { signal, abort, endOf } = createTurnEnd();
    reply.onCutShort(abort);
    using _shutdown = addAbortListener(graceEnded, () => abort('shuttingDown'));
    // The client may have disconnected while the session lookup waited for the database.
    if (!reply.isOpen) return;

    const { question, modelReply } = await start(request, response, signal);
    using _session = replyWatch.watch(request.sessionID, () => abort('sessionEnded'));
    const streamed = await streamReply(modelReply, reply);
    const end = endOf(streamed.result);
    context.addToLog(replyLogFields(streamed.result, end));
    await close(question, { streamed, end, response });
    endReply(reply, end);
  }

  /**
   * Separate from `turn`, so that `turn` does not keep the conversation and the prompt in memory while the reply streams: a
   * suspended function keeps its variables.
   */
  async function start(request: Request, response: Response, signal: AbortSignal) {
    const parsed = parseLiveRequest(request.body);
    request.body = undefined;
    const { question, facts } = await open(parsed, response, signal);
    try {
      const prompt = compose(facts, parsed.messages);
      return { question, modelReply: model.start({ prompt, maxTokens, effort }, signal) };
    } catch (error) {
      const { reserved, ...scope } = question;
      if (reserved !== undefined) await settle(scope, { id: reserved.id, tokens: reserved.estimates.failed }, response);
      throw error;
    }
  }

  async function open(
    { messages, question, conversationId: sentId }: LiveRequest,
    response: Response,
    signal: AbortSignal,
  ) {
    const { context } = response.locals;
    const { id: userId, organization } = userOf(response);
    // The truncated id, because an id of full length, stored with each message, could be larger than the text.
    const scope = { userId, orgId: organization.id, requestId: context.ids.requestId };
    const content = messageText(question);
    const newTurn = { ...scope, conversationId: sentId, content, newIds: createNewIds() };
    const reserved = hasBudget ? { id: createId(), estimates: estimatesOf(messages, content) } : undefined;

    const attempt = async () => {
      // Runs in each attempt, so that a pending answer is stored before the next question.
      await lateWrites.catchUp(newTurn);
      if (reserved === undefined) return turns.open(newTurn);
      const tokens = reserved.estimates.prompt + maxTokens;
      return turns.openWithinBudgets(newTurn, { id: reserved.id, tokens, budgets });
    };
    const stored = await database.outage.retry(attempt, [signal, draining]);
    if ('refused' in stored) throw budgetExceeded(response, stored.refused.whose, stored.refused.retryAfterSeconds);
    const { conversationId, facts } = stored;
    // Turns that fail from here on have the header too, so that the retry continues the conversation that already has the question.
    if (!response.headersSent) response.setHeader(headers.conversationId, conversationId);
    context.addToLog({ conversationId });
    return { question: { ...scope, conversationId, reserved }, facts };
  }

  async function close(
    { reserved, ...scope }: StoredQuestion,
    { streamed, end, response }: { streamed: StreamedReply; end: EndedTurn; response: Response },
  ): Promise<void> {
    const { text, result } = streamed;
    const settlement = reserved && { id: reserved.id, tokens: usedTokens(result, reserved.estimates) };
    const { userId, conversationId } = scope;
    const write = { ids: response.locals.context.ids, userId, conversationId };
    if (text !== '' || end.storesEmpty) {
      const { usage, stopReason, model: answeringModel } = result;
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
    } else if (settlement !== undefined) await settle(scope, settlement, response);
  }

  async function settle(
    scope: Omit<StoredQuestion, 'reserved'>,
    settlement: Settlement,
    response: Response,
  ): Promise<void> {
    const { userId, conversationId } = scope;
    const { ids } = response.locals.context;
    await lateWrites.write({ ids, userId, conversationId, job: () => turns.settle(scope, settlement) });
  }

  return turn;
}

/** Creates the one controller of a turn. `signal` aborts with the first call of `abort`, whose reason is kept. */
export function createTurnEnd() {
  const controller = new AbortController();
  let reasonToAbort: ReasonToAbort | undefined;

  function reasonOf({ ending, error }: ModelResult): Reason {
    if (ending === 'complete') return 'complete';
    if (ending === 'aborted' && reasonToAbort !== undefined) return reasonToAbort;
    return error !== null && isTimeout(error) ? 'timedOut' : 'providerFailed';
  }

  return {
    signal: controller.signal,

    abort(reason: ReasonToAbort): void {
      reasonToAbort ??= reason;
      controller.abort();
    },

    endOf(result: ModelResult): EndedTurn {
      const end = turnEnds[reasonOf(result)];
      const { beforeText } = end;
      if (beforeText === null || beforeText === 'fromProvider') return { ...end, error: result.error };
      return { ...end, error: new AppError(beforeText, { cause: result.error?.cause }) };
    },
  };
}

/** A turn that fails still counts its stored question, so that a budget also limits how much a user can store. */
function estimatesOf(messages: readonly Message[], question: string): TokenEstimates {
  return {
    prompt: estimatePromptTokens('live', messages),
    failed: estimateTokens(Buffer.byteLength(question)),
  };
}

function compose(facts: OpenedTurn['facts'], messages: readonly Message[]): ModelRequest['prompt'] {
  const system = composeLivePrompt({ ...facts, today: new Date().toISOString().slice(0, 10) });
  return { system, messages: withCacheBreakpoint(messages) };
}
