import { APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { Agent } from 'undici';
import { createAnthropicClient } from './anthropic-client.ts';
import { createEventDecoder } from './event-decoder.ts';
import type { Model, ModelOutcome, ModelRequest } from './model.ts';
import { providerError } from './provider-errors.ts';
import { type ReplyProgress, startProgress, takeEvent } from './reply-progress.ts';
import { createSilenceLimit } from './silence-limit.ts';

/** How long the end of a finished stream is worth waiting for: a connection read to its end can be used again. */
const closingMilliseconds = 250;

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
  const { apiKey, baseUrl, model, idleTimeoutMilliseconds } = options;
  const agent = new Agent({
    // One connection per reply, so that leaving a reply ends nothing else.
    allowH2: false,
    connect: { timeout: idleTimeoutMilliseconds },
    // The silence limit below is exact where these are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const client = createAnthropicClient({ apiKey, baseUrl, agent, timeoutMilliseconds: idleTimeoutMilliseconds });

  /** Opens the stream. Not by `messages.create`: its types want messages that were checked, and these are not. */
  function send({ system, messages, maxTokens, effort }: ModelRequest, signal: AbortSignal): Promise<Response> {
    const parameters = {
      model,
      max_tokens: maxTokens,
      stream: true,
      system: [...system],
      output_config: { effort },
    } satisfies Omit<MessageCreateParamsStreaming, 'messages'>;
    return client.post('/v1/messages', { body: { ...parameters, messages }, stream: true, signal }).asResponse();
  }

  /** Yields the reply's text deltas. It never throws: what goes wrong is left in `exchange.failure`. */
  async function* textDeltas(request: ModelRequest, exchange: Exchange, signal: AbortSignal): AsyncGenerator<string> {
    const stop = new AbortController();
    const silence = createSilenceLimit(() => stop.abort(new Error('The provider fell silent.')));
    const events = createEventDecoder();
    try {
      silence.wait(idleTimeoutMilliseconds);
      const response = await send(request, AbortSignal.any([signal, stop.signal]));
      exchange.providerRequestId = response.headers.get('request-id');
      for await (const bytes of response.body ?? []) {
        silence.stop();
        for (const event of events.decode(bytes)) {
          const text = takeEvent(exchange, event);
          if (text !== '') yield text;
          signal.throwIfAborted();
        }
        silence.wait(exchange.finished ? closingMilliseconds : idleTimeoutMilliseconds);
      }
      if (!exchange.finished) throw new Error('The stream ended without message_stop.');
    } catch (error) {
      exchange.failure = stop.signal.aborted ? stop.signal.reason : error;
      if (error instanceof APIError) exchange.providerRequestId ??= error.requestID ?? null;
    } finally {
      silence.stop();
      stop.abort();
    }
  }

  return {
    async reply(request, onText, signal) {
      const exchange: Exchange = { ...startProgress(model), providerRequestId: null, failure: undefined };
      try {
        for await (const delta of textDeltas(request, exchange, signal)) await onText(delta);
      } catch (error) {
        // A sink that waits for its reader gives up with the same signal.
        if (!signal.aborted) throw error;
      }
      return outcomeOf(exchange, signal);
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
