import { addAbortListener } from 'node:events';
import type { Request, Response } from 'express';
import { type LiveRequest, readLiveRequest } from '../../shared/chat-requests.ts';
import { headers, modelOptions, promptVersion } from '../../shared/interface.ts';
import { messageText } from '../../shared/messages.ts';
import { requireAccepted } from '../app-error.ts';
import type { OutageDetector } from '../database/serving/outage.ts';
import { type Budgets, createNewIds, type Turns } from '../database/serving/turns.ts';
import type { Scope } from '../database/tenant.ts';
import { createId } from '../database/values.ts';
import { type RequestIds, userOf } from '../http/request-context.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { Model, ModelResult } from '../model/anthropic-model.ts';
import { composeLivePrompt, withCacheBreakpoint } from '../prompt/prompts.ts';
import type { LateWrites } from './late-writes.ts';
import type { ReplyWatch } from './reply-watch.ts';
import { budgetError, estimateLiveTurn, type TokenEstimates, usedTokens } from './token-use.ts';
import { createTurnController, endReply, replyLogFields } from './turn-end.ts';

export type LiveTurnOptions = {
  budgets: Budgets;
  turns: Turns;
  outage: Pick<OutageDetector, 'retry'>;
  lateWrites: LateWrites;
  model: Model;
  replyWatch: ReplyWatch;
  /** A turn that waits for the database is refused once this aborts. */
  draining: AbortSignal;
  graceEnded: AbortSignal;
};

/** `reservation` is undefined if no budget applies. */
type OpenTurn = Scope & {
  conversationId: string;
  requestId: string;
  ids: RequestIds;
  reservation: { id: string; estimates: TokenEstimates } | undefined;
};

/** A turn of a signed-in user: parse, open, compose, start the provider's request, stream, close, end. */
export function createLiveTurn(options: LiveTurnOptions) {
  const { budgets, turns, outage, lateWrites, model, replyWatch, draining, graceEnded } = options;
  const hasBudget = budgets.user !== undefined || budgets.organization !== undefined;

  async function turn(request: Request, response: Response, reply: TextReply): Promise<void> {
    const { signal, abort, endOf } = createTurnController();
    reply.onCutShort(abort);
    using _shutdown = addAbortListener(graceEnded, () => abort('shuttingDown'));
    // The client may have disconnected while the session lookup waited for the database.
    if (!reply.isOpen) return;

    const { opened, modelReply } = await start(request, response, signal);
    using _session = replyWatch.watch(request.sessionID, () => abort('sessionEnded'));
    // All text that arrives before the reply ends or is aborted, whether or not the client receives it.
    const pieces: string[] = [];
    const result = await modelReply.stream((piece) => {
      pieces.push(piece);
      return reply.write(piece);
    });
    const end = endOf(result);
    response.locals.context.addToLog(replyLogFields(result, end));
    const text = pieces.join('');
    if (text !== '' || end.storesEmpty) await close(opened, text, result);
    else await settle(opened, result);
    endReply(reply, end);
  }

  /**
   * Separate from `turn`, so that `turn` does not keep the conversation and the prompt in memory while the reply streams: a
   * suspended function keeps its variables.
   */
  async function start(request: Request, response: Response, signal: AbortSignal) {
    const sent = requireAccepted(readLiveRequest(request.body));
    request.body = undefined;
    const { opened, facts } = await open(sent, response, signal);
    try {
      const system = composeLivePrompt({ ...facts, today: new Date().toISOString().slice(0, 10) });
      const prompt = { system, messages: withCacheBreakpoint(sent.messages) };
      return { opened, modelReply: model.start({ prompt, ...modelOptions.live }, signal) };
    } catch (error) {
      await settle(opened);
      throw error;
    }
  }

  async function open(
    { messages, question, conversationId: sentId }: LiveRequest,
    response: Response,
    signal: AbortSignal,
  ) {
    const { ids, addToLog } = response.locals.context;
    const { id: userId, organization } = userOf(response);
    // `ids` has the truncated id: each message stores it, and an id of full length could be larger than the text.
    const scope = { userId, orgId: organization.id, requestId: ids.requestId };
    const content = messageText(question);
    const newTurn = { ...scope, conversationId: sentId, content, newIds: createNewIds() };
    const reservation = hasBudget ? { id: createId(), estimates: estimateLiveTurn(messages, content) } : undefined;

    const catchUpAndOpen = async () => {
      // Repeated by each retry, so that a pending answer is stored before the next question.
      await lateWrites.catchUp(newTurn);
      if (reservation === undefined) return turns.open(newTurn);
      return turns.openWithinBudgets(newTurn, { id: reservation.id, tokens: reservation.estimates.reserved, budgets });
    };
    const stored = await outage.retry(catchUpAndOpen, [signal, draining]);
    if ('refused' in stored) throw budgetError(stored.refused.whose, stored.refused.retryAfterSeconds);
    const { conversationId, facts } = stored;
    // A turn that fails from here on also sends the header, so that its retry continues the conversation that has the question.
    if (!response.headersSent) response.setHeader(headers.conversationId, conversationId);
    addToLog({ conversationId });
    return { opened: { ...scope, conversationId, ids, reservation }, facts };
  }

  async function close({ ids, reservation, ...scope }: OpenTurn, content: string, result: ModelResult): Promise<void> {
    const { usage, stopReason, model } = result;
    const answer = { ...scope, ...usage, id: createId(), content, stopReason, model, promptVersion };
    const settlement = reservation && { id: reservation.id, tokens: usedTokens(result, reservation.estimates) };
    await lateWrites.write({ ...scope, ids, job: () => turns.close(answer, settlement) });
  }

  /** Settles a turn without an answer. `result` is undefined if no request has been sent to the provider. */
  async function settle({ ids, reservation, ...scope }: OpenTurn, result?: ModelResult): Promise<void> {
    if (reservation === undefined) return;
    const { id, estimates } = reservation;
    const tokens = result === undefined ? estimates.failed : usedTokens(result, estimates);
    await lateWrites.write({ ...scope, ids, job: () => turns.settle(scope, { id, tokens }) });
  }

  return turn;
}
