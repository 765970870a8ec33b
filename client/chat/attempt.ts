import { type ErrorCode, errorCodes, formatAppendedError } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { type Clock, systemClock } from './clock.ts';
import { type AttemptOutcome, failureMidway, failureOf, isPlainText } from './outcome.ts';

export type TurnRequest = {
  /**
   * The URL of a chat route, such as `https://chat.example.com/api/chat`. On a page of the service, or for a `fetch` that completes it,
   * its path is enough.
   */
  url: string;
  /** The conversation so far, the newest message last and from the `user`. */
  messages: readonly Message[];
  /** The id of the turn, the same for all its attempts; random by default. Sent as `X-Request-Id`. */
  requestId?: string | undefined;
  /** The service's id of the conversation that the turn belongs to. Without it, live chat starts a new one. */
  conversationId?: string | undefined;
  /** Headers to send as well. Outside a browser live chat needs the `Cookie` of a session. */
  headers?: Headers | Readonly<Record<string, string>> | undefined;
};

export type AttemptOptions = {
  fetch?: typeof globalThis.fetch | undefined;
  /** Aborts the attempt, or the wait for the next one. The outcome is then `stopped`. */
  signal?: AbortSignal | undefined;
  /** Replaces the system's clock for waits and the silence limit. */
  clock?: Clock | undefined;
  /**
   * After this many seconds without a byte the attempt ends as `interrupted`; 120 by default. The service's own limit for a
   * silent model is shorter (`MODEL_IDLE_TIMEOUT_MS`, 60 s by default), but the provider's pings reset that limit while the model
   * thinks, and the service does not pass them on.
   */
  silenceSeconds?: number | undefined;
  /** Called with the conversation's id as soon as the headers name one, even on failed attempts. */
  onConversation?: ((conversationId: string) => void) | undefined;
  /** Called for each new text, with the complete reply so far and the added text. */
  onText?: ((reply: string, added: string) => void) | undefined;
};

/** Longer than the service's default idle timeout for the model, so that the error of the service arrives first. */
export const defaultSilenceSeconds = 120;

/**
 * Sends a turn once and reads its reply to the end. All errors of the connection and of the service become outcomes. Rejects with a
 * `TypeError` if the URL is invalid, and with the error of a callback that throws. Calls no callback after it has ended, even if `fetch`
 * ignores its signal.
 */
export async function attempt(request: TurnRequest, options: AttemptOptions = {}): Promise<AttemptOutcome> {
  const { url, messages, conversationId, headers, requestId = createRandomId() } = request;
  const { fetch = globalThis.fetch, signal, clock = systemClock, onConversation, onText } = options;
  const { silenceSeconds = defaultSilenceSeconds } = options;
  checkUrl(url, fetch);
  const connection = new AbortController();
  // `AbortSignal.any` does not work here: WebKit collects a combined signal that only `fetch` refers to, and an abort then never
  // arrives.
  const abortConnection = () => connection.abort();
  if (signal?.aborted) abortConnection();
  signal?.addEventListener('abort', abortConnection);
  const silenceTimer = createSilenceTimer(clock, silenceSeconds, () => {
    connection.abort(new Error(`No byte arrived for ${silenceSeconds} seconds.`));
  });
  // A `fetch` can ignore its signal, and a body that cannot be decompressed hangs in Node 20.
  const aborted = new Promise<never>((_, reject) => {
    connection.signal.onabort = () => reject(connection.signal.reason);
  });
  let callbackError: { error: unknown } | undefined;
  const call = (callback: () => void) => {
    connection.signal.throwIfAborted();
    try {
      callback();
    } catch (error) {
      callbackError = { error };
      throw error;
    }
  };
  // `onLine` is undefined in Node.
  let isUnsent = globalThis.navigator?.onLine === false;
  let refusal: Response | undefined;

  async function exchange(): Promise<AttemptOutcome> {
    const requestHeaders = new Headers(headers);
    requestHeaders.set('Content-Type', 'application/json');
    requestHeaders.set(names.requestId, requestId);
    connection.signal.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      headers: requestHeaders,
      body: JSON.stringify({ messages, conversationId }),
      // Following a redirect would send the question to another address, or repeat the request as a GET.
      redirect: 'manual',
      signal: connection.signal,
    });
    connection.signal.throwIfAborted();
    isUnsent = false;
    silenceTimer.restart();
    const namedConversation = response.headers.get(names.conversationId);
    if (namedConversation !== null) call(() => onConversation?.(namedConversation));
    // Captive portals and proxies can answer with a page and status 200.
    if (response.status !== 200 || !isPlainText(response.headers)) {
      refusal = response;
      return failureOf(response, response.status < 400 ? '' : await response.text(), requestId);
    }

    const code = await readBody(
      response.body,
      (reply, added) => call(() => onText?.(reply, added)),
      () => {
        connection.signal.throwIfAborted();
        silenceTimer.restart();
      },
    );
    return code === undefined
      ? { type: 'done' }
      : failureMidway(code, response.headers.get(names.requestId) ?? requestId);
  }

  try {
    return await Promise.race([exchange(), aborted]);
  } catch (cause) {
    if (callbackError) throw callbackError.error;
    if (signal?.aborted) return { type: 'stopped' };
    // The status counts even if the body breaks.
    if (refusal) return failureOf(refusal, '', requestId);
    return isUnsent ? { type: 'unsent' } : { type: 'interrupted', requestId, cause };
  } finally {
    silenceTimer.cancel();
    signal?.removeEventListener('abort', abortConnection);
    connection.abort();
  }
}

/**
 * Calls `onSilence` after `seconds` without a call of `restart`. It chains two timers of half the time: if a page resumes that was
 * frozen during the first one, that timer is overdue and fires immediately, and the bytes that have arrived meanwhile are read
 * before the second one fires.
 */
function createSilenceTimer(clock: Clock, seconds: number, onSilence: () => void) {
  const milliseconds = (seconds * 1000) / 2;
  const start = () => clock.after(milliseconds, () => (cancelTimer = clock.after(milliseconds, onSilence)));
  let cancelTimer = start();

  return {
    restart(): void {
      cancelTimer();
      cancelTimer = start();
    },
    cancel: () => cancelTimer(),
  };
}

/** Reads a reply to its end, or until a callback throws. Returns the code of the appended error line, which `onText` does not receive. */
async function readBody(
  body: ReadableStream<Uint8Array> | null,
  onText: (reply: string, added: string) => void,
  onBytes: () => void,
): Promise<ErrorCode | undefined> {
  // Each chunk is searched together with the held-back text only, so its cost does not grow with the reply.
  let reply = '';
  let held = '';
  const show = (text: string) => {
    reply += text;
    if (text !== '') onText(reply, text);
  };
  if (body !== null) {
    for await (const text of readText(body, onBytes)) {
      held += text;
      const presentable = displayableText(held);
      held = held.slice(presentable.length);
      show(presentable);
    }
  }
  const code = errorCodes[errorLines.indexOf(held)];
  if (code === undefined) show(held);
  return code;
}

const errorLines = errorCodes.map(formatAppendedError);

const maxErrorLineLength = Math.max(...errorLines.map(({ length }) => length));

/** Removes a tail that could be the start of an appended error line. */
export function displayableText(received: string): string {
  let start = received.indexOf('\n', Math.max(0, received.length - maxErrorLineLength));
  while (start !== -1) {
    const tail = received.slice(start);
    if (errorLines.some((line) => line.startsWith(tail))) return received.slice(0, start);
    start = received.indexOf('\n', start + 1);
  }
  return received;
}

/**
 * Yields the text of a UTF-8 body as it arrives. A character that is split across chunks is held back until it is complete. Throws
 * the error of `body` if the connection is lost or the request is aborted.
 */
async function* readText(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      onBytes();
      const text = decoder.decode(value, { stream: !done });
      if (text !== '') yield text;
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/**
 * Throws a `TypeError` for an invalid address, for which `fetch` would reject with the same error as for a broken connection. A path is
 * valid on a page, and for a `fetch` other than the global one, which may complete it.
 */
export function checkUrl(address: string, fetch?: typeof globalThis.fetch): void {
  // Before its first slash a path has no colon, but `localhost:3000/api/chat` has.
  const isPath = !/^[^/?#]*:/.test(address);
  if (isPath ? fetch !== globalThis.fetch || globalThis.location : /^\s*https?:\/\/[^/?#]/i.test(address)) return;
  throw new TypeError(`The address "${address}" is not a URL with http or https.`);
}

/** A page without HTTPS has no `crypto.randomUUID`. */
export function createRandomId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
