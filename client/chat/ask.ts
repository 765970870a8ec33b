import { type ErrorCode, errorSentence, errors, formatAppendedError, splitAppendedError } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { type Clock, systemClock } from './clock.ts';
import { notAReply, type Outcome, readFailure, type Unsent } from './outcome.ts';

/** A turn, as the service is asked for it. */
export type TurnRequest = {
  /** The address of a chat route, `https://chat.example.com/api/chat` say; on a page of the service its path is enough. */
  url: string;
  /** The conversation so far, the newest message last and from the `user`. */
  messages: readonly Message[];
  /** The id of the turn, the same for all its attempts; a random UUID where it is left out. Sent as `X-Request-Id`. */
  requestId?: string | undefined;
  /** The service's id of the conversation that the turn belongs to; live chat begins a new one without it. */
  conversationId?: string | undefined;
  /** Headers to send as well. Outside a browser live chat needs the `Cookie` of a session. */
  headers?: Readonly<Record<string, string>> | undefined;
};

export type AskOptions = {
  /** Sends the request, in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Ends the turn at once, whatever it is doing: its outcome is `stopped`. */
  signal?: AbortSignal | undefined;
  /** Measures the waits and the silence, in place of the system's clock. */
  clock?: Clock | undefined;
  /** After this many seconds without a byte the attempt ends as `interrupted`; 120 by default. The service itself ends a turn after 60. */
  silenceSeconds?: number | undefined;
  /** Called with the conversation's id as soon as the headers name one, on failed attempts too. */
  onConversation?: ((conversationId: string) => void) | undefined;
  /** Called with the whole reply so far, and with the text added since the last call, each time there is more of it to show. */
  onText?: ((reply: string, added: string) => void) | undefined;
};

/** The service ends a turn after a minute without a word of the model, so two minutes without a byte mean a dead connection. */
const defaultSilenceSeconds = 120;

/**
 * Sends a turn once and reads its reply to the end. Every way in which the attempt can end is an outcome: an address that is not
 * valid, for example, is `interrupted`. Rejects only if a callback throws, with the error of the callback.
 */
export async function ask(request: TurnRequest, options: AskOptions = {}): Promise<Outcome | Unsent> {
  const { url, messages, conversationId, headers, requestId = crypto.randomUUID() } = request;
  const { fetch = globalThis.fetch, signal, clock = systemClock, onConversation, onText } = options;
  const { silenceSeconds = defaultSilenceSeconds } = options;
  const connection = new AbortController();
  const silence = watchSilence(clock, silenceSeconds, () => {
    connection.abort(new Error(`No byte arrived for ${silenceSeconds} seconds.`));
  });
  let callbackError: { error: unknown } | undefined;
  const call = (callback: () => void) => {
    try {
      callback();
    } catch (error) {
      callbackError = { error };
      throw error;
    }
  };
  // Only a browser knows.
  let isUnsent = globalThis.navigator?.onLine === false;
  try {
    const sent = new Headers(headers);
    sent.set('Content-Type', 'application/json');
    sent.set(names.requestId, requestId);
    const response = await fetch(url, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify({ messages, conversationId }),
      // A redirect would send the question to another address, as a GET.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, connection.signal]) : connection.signal,
    });
    isUnsent = false;
    silence.heard();
    const namedConversation = response.headers.get(names.conversationId);
    if (namedConversation !== null) call(() => onConversation?.(namedConversation));
    if (!isReply(response)) {
      const failed = response.status >= 400 ? await readFailure(response, requestId) : notAReply(response, requestId);
      return signal?.aborted ? { type: 'stopped' } : failed;
    }

    const { code } = await readBody(
      response.body,
      (reply, added) => call(() => onText?.(reply, added)),
      () => silence.heard(),
    );
    if (code === undefined) return { type: 'done' };
    return {
      type: 'failed',
      status: response.status,
      code,
      sentence: errorSentence(code),
      requestId: response.headers.get(names.requestId) ?? requestId,
      retryAfterSeconds: undefined,
      receivedText: true,
    };
  } catch (cause) {
    if (callbackError) throw callbackError.error;
    if (signal?.aborted) return { type: 'stopped' };
    return isUnsent ? { type: 'unsent' } : { type: 'interrupted', requestId, cause };
  } finally {
    silence.end();
    connection.abort();
  }
}

/** A captive portal or a proxy may answer with a page and the status 200. */
function isReply({ status, headers }: Response): boolean {
  return status === 200 && /^text\/plain\s*(;|$)/i.test(headers.get('Content-Type') ?? '');
}

/**
 * Calls `onSilence` after `seconds` without a call of `heard`. Two timers of half the time run one after the other: in a page that
 * was frozen, the first is overdue at once, and what has arrived meanwhile is read before the second.
 */
function watchSilence(clock: Clock, seconds: number, onSilence: () => void) {
  const milliseconds = (seconds * 1000) / 2;
  const start = () => clock.after(milliseconds, () => (callOff = clock.after(milliseconds, onSilence)));
  let callOff = start();

  return {
    heard(): void {
      callOff();
      callOff = start();
    },
    end: () => callOff(),
  };
}

/** A reply that was read to its end. `code`: it failed after its first text, when the status could no longer say so. */
export type Reply = { text: string; code: ErrorCode | undefined };

/**
 * Reads the body of a response with status 200, and calls `onText` with the whole reply so far, and with the added text, each time
 * there is more of it to show. `onText` and the result leave out the error line, which is not part of the reply. Rejects with the
 * error of `body` when the connection is cut or the request aborted.
 */
export function readReply(
  body: ReadableStream<Uint8Array> | null,
  onText?: (reply: string, added: string) => void,
): Promise<Reply> {
  return readBody(body, onText);
}

async function readBody(
  body: ReadableStream<Uint8Array> | null,
  onText?: (reply: string, added: string) => void,
  onBytes?: () => void,
): Promise<Reply> {
  // Only what is held back is looked at again: a long reply takes no longer to go on than a short one.
  let shown = '';
  let held = '';
  const show = (text: string) => {
    shown += text;
    if (text !== '') onText?.(shown, text);
  };
  if (body !== null) {
    for await (const text of readText(body, onBytes)) {
      held += text;
      const presentable = presentableText(held);
      held = held.slice(presentable.length);
      show(presentable);
    }
  }
  const { text, code } = splitAppendedError(held);
  show(text);
  return { text: shown, code };
}

const errorLines = Object.keys(errors)
  .filter((name): name is ErrorCode => Object.hasOwn(errors, name))
  .map((code) => formatAppendedError(code));

const maxLine = Math.max(...errorLines.map(({ length }) => length));

/**
 * What can be shown of a reply that is still arriving: everything but a tail that may turn out to be the beginning
 * of an appended error line.
 */
export function presentableText(received: string): string {
  let start = received.indexOf('\n', Math.max(0, received.length - maxLine));
  while (start !== -1) {
    const tail = received.slice(start);
    if (errorLines.some((line) => line.startsWith(tail))) return received.slice(0, start);
    start = received.indexOf('\n', start + 1);
  }
  return received;
}

/**
 * Yields the text of a UTF-8 body as it arrives. A character whose bytes are split over chunks is held until it is
 * whole. Throws what the body throws when the connection is cut or the request aborted.
 */
export async function* readText(body: ReadableStream<Uint8Array>, onBytes?: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    onBytes?.();
    const text = decoder.decode(value, { stream: !done });
    if (text !== '') yield text;
    if (done) return;
  }
}
