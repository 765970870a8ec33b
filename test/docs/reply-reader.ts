/** The end of a reply that has failed after its first text. */
const failure = '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]';

type Options = { cookie?: string; requestId?: string; conversationId?: string | null; signal?: AbortSignal };

/** An error status. `code` is null where the body has none, `retryAfterSeconds` where there is no wait to take. */
export class AnswerError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;
  readonly requestId: string | null;
  readonly conversationId: string | null;

  constructor({ status, headers }: Response, body: string) {
    super(body);
    this.status = status;
    this.code = /^([A-Z_]+): /.exec(body)?.[1] ?? null;
    const wait = headers.get('Retry-After') ?? '';
    this.retryAfterSeconds = status === 429 && /^\d+$/.test(wait) ? Number(wait) : null;
    this.requestId = headers.get('X-Request-Id');
    this.conversationId = headers.get('X-Conversation-Id');
  }
}

/**
 * Sends the messages to either route, once. `onText` gets the reply piece by piece, without the line that says that it
 * has failed. Rejects with an AnswerError, or with what `fetch` throws where the connection breaks or `signal` aborts.
 */
export async function ask(url: string, messages: object[], onText: (text: string) => void, options: Options = {}) {
  const { cookie, requestId, conversationId, signal } = options;
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (cookie) headers.set('Cookie', cookie);
  if (requestId) headers.set('X-Request-Id', requestId);
  const body = JSON.stringify({ messages, conversationId: conversationId ?? undefined });
  const response = await fetch(url, { method: 'POST', headers, body, signal: signal ?? null });
  if (!response.ok || response.body === null) throw new AnswerError(response, await response.text());

  let text = '';
  let held = '';
  const show = (piece: string) => {
    text += piece;
    if (piece !== '') onText(piece);
  };
  const reader = response.body.pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true })).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    held += part.value;
    const whole = held.length - beginningOfFailure(held);
    show(held.slice(0, whole));
    held = held.slice(whole);
  }
  const failed = held === failure;
  if (!failed) show(held);
  return {
    text,
    failed,
    requestId: response.headers.get('X-Request-Id'),
    conversationId: response.headers.get('X-Conversation-Id'),
  };
}

/** How many characters at the end of `text` may be the beginning of that line: they wait for what comes next. */
function beginningOfFailure(text: string): number {
  let length = Math.min(text.length, failure.length);
  while (!text.endsWith(failure.slice(0, length))) length -= 1;
  return length;
}
