import { addAbortListener } from 'node:events';
import type { Request, Response } from 'express';
import { modelOptions } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import type { TextReply } from '../http/text-reply.ts';
import type { TokenBudget } from '../limits/token-budget.ts';
import type { Model, ModelResult } from '../model/anthropic-model.ts';
import { demoPrompt } from '../prompt/prompts.ts';
import { parseDemoMessages } from './request-messages.ts';
import { budgetExceeded, estimatePromptTokens, usedTokens } from './token-use.ts';
import { createTurnEnd, endReply, replyLogFields } from './turn-end.ts';

const { maxTokens, effort } = modelOptions.demo;

export type DemoTurnDependencies = {
  demoBudget: TokenBudget | undefined;
  model: Model;
  graceEnded: AbortSignal;
};

/** Creates the same turn as `createLiveTurn`, without session and database. */
export function createDemoTurn({ demoBudget, model, graceEnded }: DemoTurnDependencies) {
  async function turn(request: Request, response: Response, reply: TextReply): Promise<void> {
    const { signal, abort, endOf } = createTurnEnd();
    reply.onCutShort(abort);
    using _shutdown = addAbortListener(graceEnded, () => abort('shuttingDown'));

    const { settle, modelReply } = await start(request, response, signal);
    const result = await modelReply.stream(reply.write);
    const end = endOf(result);
    response.locals.context.addToLog(replyLogFields(result, end));
    // The response does not wait for this: commands on the Redis connection are ordered, so the next request to
    // this process sees the settled budget.
    void settle(result);
    endReply(reply, end);
  }

  /** Separate from `turn`, so that `turn` does not keep the prompt in memory while the reply streams. */
  async function start(request: Request, response: Response, signal: AbortSignal) {
    const messages = parseDemoMessages(request.body);
    request.body = undefined;
    const settle = await reserve(messages, response);
    const prompt = { system: demoPrompt, messages };
    return { settle, modelReply: model.start({ prompt, maxTokens, effort }, signal) };
  }

  async function reserve(messages: readonly Message[], response: Response) {
    if (demoBudget === undefined) return async () => undefined;
    const prompt = estimatePromptTokens('demo', messages);
    const reserved = await demoBudget.reserve(prompt + maxTokens);
    if ('retryAfterSeconds' in reserved) throw budgetExceeded(response, 'demo', reserved.retryAfterSeconds);
    return (result: ModelResult) => reserved.settle(usedTokens(result, { prompt, failed: 0 }));
  }

  return turn;
}
