import { Readable } from 'node:stream';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { Agent, type Dispatcher } from 'undici';
import type { AppError } from '../app-error.ts';
import type { CacheableMessage, SystemBlock } from '../prompt/prompts.ts';
import {
  createEventDecoder,
  providerError,
  type ReplyProgress,
  refusal,
  startProgress,
  takeEvent,
  type Usage,
} from './provider-events.ts';

type Prompt = { system: readonly SystemBlock[]; messages: readonly CacheableMessage[] };

export type ModelRequest = {
  /** Called once, when the request is sent (see `take-once.ts`). */
  prompt: () => Prompt;
  maxTokens: number;
  effort: 'medium' | 'high';
};

/**
 * Takes each text delta as it comes, in order; none is empty, merged or split, except that half a surrogate pair at the
 * end of one comes with the next.
 * A returned promise holds the provider back until it settles.
 */
export type TextSink = (delta: string) => void | Promise<void>;

export type ModelOutcome = {
  /** `complete` only where the provider said that the reply is whole; `aborted` by the caller's signal */
  ending: 'complete' | 'aborted' | 'failed';
  /** set exactly when `ending` is `failed`: one of the `UPSTREAM_…` codes, the provider's own error as its cause */
  error: AppError | null;
  /** as far as it is known when the reply ends */
  usage: Usage;
  /** of all content that came, text or not: the provider states the output of a reply only at its end */
  streamedBytes: number;
  /** null unless `ending` is `complete` */
  stopReason: string | null;
  /** as the provider named it, else as configured */
  model: string;
  /** for the log alone: it never leaves the server */
  providerRequestId: string | null;
};

export type Model = {
  /**
   * Streams one reply. Trouble is an outcome, not a rejection. The provider's request is over when the promise settles.
   */
  reply(request: ModelRequest, onText: TextSink, signal: AbortSignal): Promise<ModelOutcome>;
  /** Closes the connections to the provider, once running replies have ended. */
  close(): Promise<void>;
};

/** How long the end of a finished stream is worth waiting for: a connection read to its end can be used again. */
const closingMilliseconds = 250;

/** A token is four bytes on average, and of few texts more than this. A longer reply ignores `max_tokens`. */
const maxBytesPerToken = 16;

/** One reply under way; `failure` is what the provider's side ended with, if anything went wrong there. */
type Exchange = ReplyProgress & { providerRequestId: string | null; failure: unknown };

/**
 * The model provider. The SDK says how a request begins and what a refusal means; the stream we read ourselves, because
 * the SDK's own takes more processor time and memory.
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
    // Both count bytes, pings too, and only while we wait for them: a slow reader on our side is no silent provider.
    headersTimeout: idleTimeoutMilliseconds,
    bodyTimeout: idleTimeoutMilliseconds,
  });
  const client = createAnthropicClient({ apiKey, baseUrl, timeoutMilliseconds: idleTimeoutMilliseconds });
  // Once: it is the same for every reply, and to make it takes longer than all else that a request needs.
  const head = requestHead(client);
  // Each reply that is asked for is told.
  head.catch(() => {});

  /** Opens the stream. It follows no redirect: that would take prompt and key to a host that nobody configured. */
  async function open(request: ModelRequest, signal: AbortSignal) {
    const body = streamOf(bodyOf(model, request));
    const response = await untilAborted(agent.request({ ...(await head), body, signal }), signal);
    if (response.statusCode >= 300) throw await refusal(response);
    return response;
  }

  /** Reads a reply to its end, or to what ends it; what goes wrong is left in `exchange.failure`. */
  async function read(
    opening: Promise<Dispatcher.ResponseData>,
    onText: TextSink,
    exchange: Exchange,
    stop: AbortController,
  ): Promise<void> {
    const decoder = createEventDecoder();
    let closing: NodeJS.Timeout | undefined;

    /** Takes events until one has to be waited for; the rest follow when it has been. */
    function take(events: Iterator<unknown>): void | Promise<void> {
      for (let next = events.next(); !next.done; next = events.next()) {
        stop.signal.throwIfAborted();
        const text = takeEvent(exchange, next.value);
        const taken = text === '' ? undefined : onText(text);
        if (taken instanceof Promise) return taken.then(() => take(events));
      }
      if (exchange.finished) closing ??= setTimeout(() => stop.abort(), closingMilliseconds);
    }

    try {
      const { headers, body } = await opening;
      exchange.providerRequestId = headers['request-id']?.toString() ?? null;
      await eachPacket(body, (packet) => take(decoder.decode(packet)));
      if (!exchange.finished) throw new Error('The stream ended without message_stop.');
    } catch (error) {
      exchange.failure = error;
      if (error instanceof APIError) exchange.providerRequestId ??= error.requestID ?? null;
    } finally {
      clearTimeout(closing);
    }
  }

  return {
    async reply(request, onText, signal) {
      const progress = startProgress(model, request.maxTokens * maxBytesPerToken);
      const exchange: Exchange = { ...progress, providerRequestId: null, failure: undefined };
      const stop = new AbortController();
      const abort = () => stop.abort(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
      try {
        await read(open(request, stop.signal), onText, exchange, stop);
        return outcomeOf(exchange, signal);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    close: () => agent.close(),
  };
}

/**
 * The SDK's client, told everything here: left to itself it would look for keys, addresses, log levels and tracing in
 * the environment and in the home directory. (Only `ANTHROPIC_CUSTOM_HEADERS` it reads whatever it is told.)
 */
export function createAnthropicClient(options: {
  apiKey: string | undefined;
  baseUrl: string;
  timeoutMilliseconds: number;
}): Anthropic {
  const { apiKey, baseUrl, timeoutMilliseconds } = options;
  return new Anthropic({
    baseURL: baseUrl,
    // Without a key (a local compatible server) the SDK still wants one: a placeholder whose header is removed.
    ...(apiKey === undefined ? { apiKey: 'none', defaultHeaders: { authorization: null } } : { apiKey }),
    authToken: null,
    webhookKey: null,
    timeout: timeoutMilliseconds,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
}

/** What the SDK sends before the body of every request for a reply: address, version, credentials. */
async function requestHead(client: Anthropic): Promise<Dispatcher.RequestOptions> {
  const { url, req } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {}, stream: true });
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}`, method: 'POST', headers: [...req.headers].flat() };
}

function bodyOf(model: string, { prompt, maxTokens, effort }: ModelRequest): string {
  const { system, messages } = prompt();
  return JSON.stringify({
    model,
    max_tokens: maxTokens,
    stream: true,
    system: [...system],
    output_config: { effort },
    messages: [...messages],
  } satisfies MessageCreateParamsStreaming);
}

/** As a stream: any other body undici keeps until its response has ended, and most of what an open reply held was its prompt. */
function streamOf(text: string): Readable {
  const stream = new Readable({ read() {} });
  // What undici leaves on it holds the request's head.
  stream.once('close', () => stream.removeAllListeners());
  stream.push(text);
  stream.push(null);
  return stream;
}

/** Settles as `opening` does, or as soon as `signal` aborts: undici waits for its connection first. */
function untilAborted<T>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    opening.then(resolve, reject);
  });
}

/**
 * Gives each packet of `body` to `take`, in order; a promise that it returns holds the next one back until it settles.
 * A loop with `for await` takes a tenth more processor time for a reply at a model's pace.
 */
function eachPacket(body: Readable, take: (packet: Buffer) => void | Promise<void>): Promise<void> {
  let taking: Promise<void> | undefined;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      // undici still hands over the packets that came in the same read.
      body.off('data', onPacket);
      body.destroy();
      reject(error);
    };
    const onPacket = (packet: Buffer) => {
      try {
        taking = take(packet)?.then(() => void body.resume(), fail);
        if (taking !== undefined) body.pause();
      } catch (error) {
        fail(error);
      }
    };
    // Not before what came earlier has been taken.
    body.on('error', (error) => void Promise.resolve(taking).then(() => reject(error)));
    body.on('end', resolve);
    body.on('data', onPacket);
  });
}

function outcomeOf(exchange: Exchange, signal: AbortSignal): ModelOutcome {
  const { finished, failure, usage, streamedBytes, model, providerRequestId } = exchange;
  const known = { usage, streamedBytes, model, providerRequestId };
  if (finished) return { ...known, ending: 'complete', error: null, stopReason: exchange.stopReason };
  if (signal.aborted) return { ...known, ending: 'aborted', error: null, stopReason: null };
  return { ...known, ending: 'failed', error: providerError(failure), stopReason: null };
}
