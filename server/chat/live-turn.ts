import { addAbortListener } from 'node:events';
import type { Request, Response } from 'express';
import { headers, modelOptions, promptVersion } from '../../shared/interface.ts';
import { type Message, messageText } from '../../shared/messages.ts';
import type { Database } from '../database/database.ts';
import { type Budgets, createNewIds, type OpenedTurn, type Settlement } from '../database/serving/turns.ts';
import type { Scope } from '../database/tenant.ts';
import { createId } from '../database/values.ts';
import { userOf } from '../http/request-context.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { Model, ModelReply, ModelRequest, ModelResult } from '../model/anthropic-model.ts';
import { composeLivePrompt, withCacheBreakpoint } from '../prompt/prompts.ts';
import type { LateWrites } from './late-writes.ts';
import type { ReplyWatch } from './reply-watch.ts';
import { type LiveRequest, parseLiveRequest } from './request-messages.ts';
import { budgetExceeded, estimatesOf, type TokenEstimates, usedTokens } from './token-use.ts';
import { createTurnEnd, type EndedTurn, endReply, replyLogFields } from './turn-end.ts';

const { maxTokens, effort } = modelOptions.live;

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

function compose(facts: OpenedTurn['facts'], messages: readonly Message[]): ModelRequest['prompt'] {
  const system = composeLivePrompt({ ...facts, today: new Date().toISOString().slice(0, 10) });
  return { system, messages: withCacheBreakpoint(messages) };
}

/** `text` is all text that arrived before the reply ended or was aborted, whether or not the client has received it. */
export type StreamedReply = { text: string; result: ModelResult };

export async function streamReply(modelReply: ModelReply, reply: TextReply): Promise<StreamedReply> {
  const pieces: string[] = [];
  const result = await modelReply.stream((piece) => {
    pieces.push(piece);
    return reply.write(piece);
  });
  return { text: pieces.join(''), result };
}
