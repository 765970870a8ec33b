import { APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { Agent } from 'undici';
import { createAnthropicClient, messagesHead } from './anthropic-client.ts';
import { createEventDecoder } from './event-decoder.ts';
import type { Model, ModelOutcome, ModelRequest, TextSink } from './model.ts';
import { providerError, refusal } from './provider-errors.ts';
import { type ReplyProgress, startProgress, takeEvent } from './reply-progress.ts';
import { createSilenceLimit } from './silence-limit.ts';
import { type StreamedResponse, sendRequest } from './streamed-response.ts';

/** How long the end of a finished stream is worth waiting for: a connection read to its end can be used again. */
const closingMilliseconds = 250;

/** What the sink threw or rejected with: no failure of the provider's. */
class SinkFailure extends Error {}

/** One reply under way; `failure` is what the provider's side ended with, if anything went wrong there. */
type Exchange = ReplyProgress & { providerRequestId: string | null; failure: unknown };

/**
 * The model provider, through its SDK.
 * `baseUrl` undefined means the provider's own address; `idleTimeoutMilliseconds` is the longest silence from it, pings
 * included, before a reply fails.
 */
export function createAnthropicModel(options: {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  model: string;
  idleTimeoutMilliseconds: number;
}): Model {
  const { apiKey, baseUrl = 'https://api.anthropic.com', model, idleTimeoutMilliseconds } = options;
  const agent = new Agent({
    // One connection per reply, so that leaving a reply ends nothing else.
    allowH2: false,
    connect: { timeout: idleTimeoutMilliseconds },
    // The silence limit below is exact where these are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const client = createAnthropicClient({ apiKey, baseUrl, timeoutMilliseconds: idleTimeoutMilliseconds });
  // Once: it is the same for every reply, and to make it takes longer than all else that a request needs.
  const head = messagesHead(client);
  // Each reply that is asked for is told.
  head.catch(() => {});

  /** Opens the stream. */
  async function send({ system, messages, maxTokens, effort }: ModelRequest, signal: AbortSignal) {
    const parameters = {
      model,
      max_tokens: maxTokens,
      stream: true,
      system: [...system],
      output_config: { effort },
      messages: [...messages],
    } satisfies MessageCreateParamsStreaming;
    const response = await sendRequest(agent, await head, JSON.stringify(parameters), signal);
    if (response.status >= 300) throw await refusal(response);
    return response;
  }

  /** Reads a reply to its end, or to what ends it; what goes wrong with the provider is left in `exchange.failure`. */
  async function read(opening: Promise<StreamedResponse>, onText: TextSink, exchange: Exchange, stop: AbortController) {
    const silence = createSilenceLimit(() => stop.abort(new Error('The provider fell silent.')));
    const awaitPacket = () => silence.wait(exchange.finished ? closingMilliseconds : idleTimeoutMilliseconds);
    const decoder = createEventDecoder();

    const sinkFailed = (cause: unknown): never => {
      throw new SinkFailure('The text could not be taken.', { cause });
    };

    function give(text: string): void | Promise<void> {
      try {
        const taken = onText(text);
        return taken instanceof Promise ? taken.catch(sinkFailed) : undefined;
      } catch (error) {
        sinkFailed(error);
      }
    }

    /** Takes events until one has to be waited for; the rest follow when it has been. */
    function take(events: Iterator<unknown>): void | Promise<void> {
      for (let next = events.next(); !next.done; next = events.next()) {
        stop.signal.throwIfAborted();
        const text = takeEvent(exchange, next.value);
        const taken = text === '' ? undefined : give(text);
        if (taken !== undefined) return taken.then(() => take(events));
      }
    }

    try {
      awaitPacket();
      const response = await opening;
      const requestId = response.headers['request-id'];
      if (requestId !== undefined) exchange.providerRequestId = String(requestId);
      await response.packets((packet) => {
        const taken = take(decoder.decode(packet));
        if (taken === undefined) return awaitPacket();
        silence.stop();
        return taken.then(awaitPacket);
      });
      if (!exchange.finished) throw new Error('The stream ended without message_stop.');
    } catch (error) {
      if (error instanceof SinkFailure && !stop.signal.aborted) throw error.cause;
      exchange.failure = stop.signal.aborted ? stop.signal.reason : error;
      if (error instanceof APIError) exchange.providerRequestId ??= error.requestID ?? null;
    } finally {
      silence.stop();
    }
  }

  return {
    // Not async: its frame would hold the prompt and the conversation until the reply has ended.
    reply(request, onText, signal) {
      const exchange: Exchange = { ...startProgress(model), providerRequestId: null, failure: undefined };
      const stop = new AbortController();
      const leave = () => stop.abort(signal.reason);
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave);
      return read(send(request, stop.signal), onText, exchange, stop)
        .finally(() => signal.removeEventListener('abort', leave))
        .then(() => outcomeOf(exchange, signal));
    },
    close: () => agent.close(),
  };
}

function outcomeOf(exchange: Exchange, signal: AbortSignal): ModelOutcome {
  const { finished, failure, usage, model, providerRequestId } = exchange;
  const known = { usage, model, providerRequestId };
  if (finished) return { ...known, ending: 'complete', error: null, stopReason: exchange.stopReason };
  if (signal.aborted) return { ...known, ending: 'aborted', error: null, stopReason: null };
  return { ...known, ending: 'failed', error: providerError(failure), stopReason: null };
}
