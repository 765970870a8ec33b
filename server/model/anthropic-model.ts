import { Readable } from 'node:stream';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { Agent, type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import type { AppError } from '../app-error.ts';
import type { CacheableMessage, SystemBlock } from '../prompt/prompts.ts';
import {
  applyEvent,
  createEventDecoder,
  createProgress,
  providerError,
  type ReplyProgress,
  readErrorResponse,
  type Usage,
} from './provider-events.ts';
import { createProviderState, type ProviderState } from './provider-state.ts';

export type ModelRequest = {
  prompt: { system: readonly SystemBlock[]; messages: readonly CacheableMessage[] };
  maxTokens: number;
  effort: 'medium' | 'high';
};

/**
 * Receives the text deltas in order. They are never empty, merged or split, except that half a surrogate pair at the end of one
 * moves to the next. A returned promise applies backpressure to the provider until it settles.
 */
export type TextSink = (delta: string) => void | Promise<void>;

export type ModelResult = {
  /** `complete` requires `message_stop`; `aborted` means aborted by the caller's signal. */
  ending: 'complete' | 'aborted' | 'failed';
  /** Set only if `ending` is `failed`: an error with an `UPSTREAM_…` code and the provider's error as its cause. */
  error: AppError | null;
  /** The counts that the provider has reported by the end of the reply. */
  usage: Usage;
  /** Counts all received content, text or not, because the provider reports output tokens only at the end. */
  streamedBytes: number;
  /** Null unless `ending` is `complete`. */
  stopReason: string | null;
  /** The name that the provider reports, otherwise the configured one. */
  model: string;
  /** Only for the log; never sent to clients. */
  providerRequestId: string | null;
};

export type ModelReply = {
  /** Can be called once. Resolves even if the provider fails, and only after `onText` has settled. */
  stream(onText: TextSink): Promise<ModelResult>;
};

export type Model = {
  /**
   * Sends the request. Neither the returned reply nor its stream refers to the prompt, so that the prompt can be freed while the
   * reply streams. `signal` must belong to this reply only, because the listeners on it are never removed.
   */
  start(request: ModelRequest, signal: AbortSignal): ModelReply;
  /** Closes the connections to the provider after the replies in flight have ended. */
  close(): Promise<void>;
};

export type AnthropicModel = Model & { provider: Pick<ProviderState, 'read' | 'oldestWaitSeconds'> };

/** Grace period after `message_stop` for the response to end, because only a connection read to its end can be reused. */
const closeDelayMilliseconds = 250;

/** A token has four bytes on average and hardly ever more than this, so a longer reply has exceeded `max_tokens`. */
const maxBytesPerToken = 16;

/** The default base URL. */
export const anthropicUrl = 'https://api.anthropic.com';

/**
 * Uses the SDK for request headers and error types, but reads the stream without it, because the SDK's reader takes more
 * processor time and memory. `baseUrl` defaults to the Anthropic API. A reply fails if the provider sends nothing, not even a
 * ping, for `idleTimeoutMilliseconds`.
 */
export function createAnthropicModel(options: {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  model: string;
  idleTimeoutMilliseconds: number;
  /** The address of the proxy through which the provider is reached. */
  proxy?: string | undefined;
}): AnthropicModel {
  const { apiKey, baseUrl = anthropicUrl, model, idleTimeoutMilliseconds, proxy } = options;
  const agent =
    proxy === undefined ? createAgent(idleTimeoutMilliseconds) : createProxyAgent(proxy, idleTimeoutMilliseconds);
  // Any part of the body, even a ping, restarts its timeout, which does not apply while backpressure pauses the response.
  const timeouts = { headersTimeout: idleTimeoutMilliseconds, bodyTimeout: idleTimeoutMilliseconds };
  const provider = createProviderState();
  const client = createAnthropicClient({ apiKey, baseUrl, timeoutMilliseconds: idleTimeoutMilliseconds });
  // Built once: it is the same for every reply, and building it costs more than the rest of a request.
  const head = requestHead(client);
  // `open` awaits this promise for every reply, so a rejection is reported there.
  head.catch(() => {});

  /** Does not follow redirects, which would send the prompt and the key to a host that is not configured. */
  async function open(body: Readable, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const response = await abortable(agent.request({ ...(await head), ...timeouts, body, signal }), signal);
    if (response.statusCode >= 300) throw await readErrorResponse(response);
    return response;
  }

  return {
    start(request, signal) {
      const progress = createProgress(model, request.maxTokens * maxBytesPerToken);
      const opening = open(toStream(requestBody(model, request)), signal);
      // `stream` reports a rejection.
      opening.catch(() => {});
      return { stream: (onText) => readReply(opening, { progress, onText, signal, tracker: provider.trackRequest() }) };
    },
    close: () => agent.close(),
    provider,
  };
}

// Over HTTP/1.1 each reply has a connection of its own, so that aborting a reply affects no other.
const allowH2 = false;

const createAgent = (timeout: number) => new Agent({ allowH2, connect: { timeout } });

function createProxyAgent(uri: string, timeout: number): ProxyAgent {
  return new ProxyAgent({
    uri,
    allowH2,
    // Proxies forward requests to http:// addresses, and commonly refuse tunnels to other ports than 443.
    proxyTunnel: false,
    proxyTls: { timeout },
    requestTls: { timeout },
    // Limits the wait for the tunnel, which otherwise ends after five minutes.
    clientFactory: (origin, settings) => new Pool(origin, { ...settings, headersTimeout: timeout }),
  });
}

type ReplyInProgress = {
  progress: ReplyProgress;
  onText: TextSink;
  signal: AbortSignal;
  tracker: ReturnType<ProviderState['trackRequest']>;
};

async function readReply(
  opening: Promise<Dispatcher.ResponseData>,
  { progress, onText, signal, tracker }: ReplyInProgress,
): Promise<ModelResult> {
  const decoder = createEventDecoder();
  let providerRequestId: string | null = null;
  let failure: unknown;
  let closing: NodeJS.Timeout | undefined;

  /** Synchronous unless `onText` returns a promise; then the remaining events are processed after it has resolved. */
  function processEvents(events: Iterator<unknown>, body: Readable): void | Promise<void> {
    for (let next = events.next(); !next.done; next = events.next()) {
      // Drops the events that had arrived before the abort.
      signal.throwIfAborted();
      const text = applyEvent(progress, next.value);
      if (text === '') continue;
      tracker.textReceived();
      const drained = onText(text);
      if (drained instanceof Promise) return drained.then(() => processEvents(events, body));
    }
    if (progress.finished) closing ??= setTimeout(() => body.destroy(), closeDelayMilliseconds);
  }

  try {
    const { headers, body } = await opening;
    tracker.heard();
    providerRequestId = headers['request-id']?.toString() ?? null;
    await forEachChunk(body, (chunk) => {
      tracker.heard();
      return processEvents(decoder.decode(chunk), body);
    });
    if (!progress.finished) throw new Error('The stream ended without message_stop.');
  } catch (error) {
    failure = error;
    if (error instanceof APIError) {
      providerRequestId ??= error.requestID ?? null;
      tracker.heard();
    }
  }
  clearTimeout(closing);

  const { finished, usage, streamedBytes, model, stopReason } = progress;
  const known = { usage, streamedBytes, model, providerRequestId };
  const result: ModelResult = finished
    ? { ...known, ending: 'complete', error: null, stopReason }
    : signal.aborted
      ? { ...known, ending: 'aborted', error: null, stopReason: null }
      : { ...known, ending: 'failed', error: providerError(failure), stopReason: null };
  tracker.ended(result);
  return result;
}

/**
 * Sets every option (key, address, log level, tracing) that the SDK would otherwise read from the environment or the home
 * directory. It always reads `ANTHROPIC_CUSTOM_HEADERS`.
 */
export function createAnthropicClient(options: {
  apiKey: string | undefined;
  baseUrl: string;
  timeoutMilliseconds: number;
}): Anthropic {
  const { apiKey, baseUrl, timeoutMilliseconds } = options;
  return new Anthropic({
    baseURL: baseUrl,
    // The SDK requires a key even for a local compatible server, so it gets a placeholder whose header is removed.
    ...(apiKey === undefined ? { apiKey: 'none', defaultHeaders: { authorization: null } } : { apiKey }),
    authToken: null,
    webhookKey: null,
    timeout: timeoutMilliseconds,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
}

/** Returns the address and the headers that the SDK would send with every request for a reply. */
async function requestHead(client: Anthropic): Promise<Dispatcher.RequestOptions> {
  const { url, req } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {}, stream: true });
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}`, method: 'POST', headers: [...req.headers].flat() };
}

function requestBody(model: string, { prompt, maxTokens, effort }: ModelRequest): string {
  const { system, messages } = prompt;
  return JSON.stringify({
    model,
    max_tokens: maxTokens,
    stream: true,
    system: [...system],
    output_config: { effort },
    messages: [...messages],
  } satisfies MessageCreateParamsStreaming);
}

/** undici keeps any body except a stream until the response ends. Prompts would be most of the memory of replies in flight. */
function toStream(text: string): Readable {
  const stream = new Readable({ read() {} });
  // undici does not remove its listeners, which refer to the headers of the request.
  stream.once('close', () => stream.removeAllListeners());
  stream.push(text);
  stream.push(null);
  return stream;
}

/** Returns true if the provider was silent for too long, or if connecting to it took too long. */
export function isTimeout({ cause }: AppError): boolean {
  return [errors.ConnectTimeoutError, errors.HeadersTimeoutError, errors.BodyTimeoutError].some(
    (type) => cause instanceof type,
  );
}

/** Rejects as soon as `signal` aborts. undici by itself rejects only after it has a connection. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject);
  });
}

/**
 * Calls `onChunk` for each chunk of `body` in order, and waits for the promise that it returns, if any, before the next call.
 * For a reply at a model's usual speed, a `for await` loop takes 10% more processor time.
 */
function forEachChunk(body: Readable, onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void> {
  let pendingChunk: Promise<void> | undefined;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      // undici still emits the chunks that arrived in the same read.
      body.off('data', onData);
      body.destroy();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        pendingChunk = onChunk(chunk)?.then(() => void body.resume(), fail);
        if (pendingChunk !== undefined) body.pause();
      } catch (error) {
        fail(error);
      }
    };
    // Earlier chunks are processed before the error is reported.
    body.on('error', (error) => void Promise.resolve(pendingChunk).then(() => reject(error)));
    body.on('end', resolve);
    body.on('data', onData);
  });
}
