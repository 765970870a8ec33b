import { type ErrorCode, errorSentence, errors, formatAppendedError, splitAppendedError } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { type Outcome, readFailure } from './outcome.ts';

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
  /** Called with the conversation's id as soon as the headers name one, on failed attempts too. */
  onConversation?: ((conversationId: string) => void) | undefined;
  /** Called with the whole reply so far, each time there is more of it to show. */
  onText?: ((reply: string) => void) | undefined;
};

/**
 * Sends a turn once and reads its reply to the end. Never rejects: every way to end is an outcome. What cannot
 * be sent, to an address that is none for example, and a callback that throws are `interrupted`, as a broken connection is.
 */
export async function ask(request: TurnRequest, options: AskOptions = {}): Promise<Outcome> {
  const { url, messages, conversationId, headers, requestId = crypto.randomUUID() } = request;
  const { fetch = globalThis.fetch, signal, onConversation, onText } = options;
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
      ...(signal && { signal }),
    });
    isUnsent = false;
    const namedConversation = response.headers.get(names.conversationId);
    if (namedConversation !== null) onConversation?.(namedConversation);
    if (!response.ok) {
      const failed = await readFailure(response, requestId);
      return signal?.aborted ? { type: 'stopped' } : failed;
    }

    const { code } = await readReply(response.body, onText);
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
  } catch {
    return signal?.aborted ? { type: 'stopped' } : { type: 'interrupted', requestId: isUnsent ? '' : requestId };
  }
}

/** A reply that was read to its end. `code`: it failed after its first text, when the status could no longer say so. */
export type Reply = { text: string; code: ErrorCode | undefined };

/**
 * Reads the body of a response with status 200, and calls `onText` with the whole reply so far each time there is more of it
 * to show. `onText` and the result leave out the error line, which is no text of the reply. Rejects with the error of `body`
 * when the connection is cut or the request aborted.
 */
export async function readReply(
  body: ReadableStream<Uint8Array> | null,
  onText?: (reply: string) => void,
): Promise<Reply> {
  // Only what is held back is looked at again: a long reply takes no longer to go on than a short one.
  let shown = '';
  let held = '';
  const show = (text: string) => {
    shown += text;
    if (text !== '') onText?.(shown);
  };
  if (body !== null) {
    for await (const text of readText(body)) {
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
export async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    const text = decoder.decode(value, { stream: !done });
    if (text !== '') yield text;
    if (done) return;
  }
}
