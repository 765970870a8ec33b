import { errorSentence, splitAppendedError } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';
import type { Message } from '../../shared/messages.ts';
import { type Outcome, readFailure } from './outcome.ts';
import { presentableText } from './presentable-text.ts';
import { readText } from './read-text.ts';

export type TurnRequest = {
  url: string;
  requestId: string;
  messages: readonly Message[];
  conversationId: string | undefined;
};

export type AttemptOptions = {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  /** Called with the conversation's id as soon as the headers name one, on failed attempts too. */
  onConversation(conversationId: string): void;
  /** Called with the whole reply so far, each time there is more of it to show. */
  onText(reply: string): void;
};

/** Sends a turn once and reads its reply to the end. Never throws: every way to end is an outcome. */
export async function attemptTurn(request: TurnRequest, options: AttemptOptions): Promise<Outcome> {
  const { url, requestId, messages, conversationId } = request;
  const { fetch, signal, onConversation, onText } = options;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', [headers.requestId]: requestId },
      body: JSON.stringify({ messages, conversationId }),
      signal,
    });
    const namedConversation = response.headers.get(headers.conversationId);
    if (namedConversation !== null) onConversation(namedConversation);
    if (!response.ok) {
      const failed = await readFailure(response, requestId);
      return signal.aborted ? { type: 'stopped' } : failed;
    }

    // Only what is held back is looked at again: a long reply takes no longer to go on than a short one.
    let shown = '';
    let held = '';
    const show = (text: string) => {
      shown += text;
      if (text !== '') onText(shown);
    };
    if (response.body !== null) {
      for await (const text of readText(response.body)) {
        held += text;
        const presentable = presentableText(held);
        held = held.slice(presentable.length);
        show(presentable);
      }
    }
    const { text, code } = splitAppendedError(held);
    show(text);
    if (code === undefined) return { type: 'done' };
    return {
      type: 'failed',
      status: response.status,
      code,
      sentence: errorSentence(code),
      requestId: response.headers.get(headers.requestId) ?? requestId,
      retryAfterSeconds: undefined,
      receivedText: true,
    };
  } catch {
    return signal.aborted ? { type: 'stopped' } : { type: 'interrupted', requestId };
  }
}
