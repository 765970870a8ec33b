import { errorSentence } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { type Outcome, readFailure } from './outcome.ts';
import { readReply } from './read-reply.ts';

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
    return signal?.aborted ? { type: 'stopped' } : { type: 'interrupted', requestId };
  }
}
