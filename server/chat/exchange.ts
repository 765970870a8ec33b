import { AppError } from '../app-error.ts';
import type { TextReply } from '../http/replies/text-reply.ts';
import { nameOrNull } from '../http/requests/bounded-text.ts';
import type { Model, ModelOutcome, ModelRequest } from '../model/model.ts';

export type Exchange = {
  /** What the client was sent, or would have been had it stayed. */
  text: string;
  outcome: ModelOutcome;
  /** Why the reply is not whole, where somebody is still there to be told. */
  error: AppError | null;
};

/**
 * One reply from the model to the client, piece by piece. When the client leaves, or one of `ends` aborts, the provider's
 * request is aborted at once. `ends` outlive the reply: the process has to end, or the session was ended. The reason of
 * one is the error that its client is told. It holds `request` only until it is sent.
 */
export function exchange(
  model: Model,
  request: ModelRequest,
  reply: TextReply,
  ends: readonly AbortSignal[],
): Promise<Exchange> {
  const pieces: string[] = [];
  const stop = new AbortController();
  const abort = () => stop.abort();
  // Not by `AbortSignal.any`, of which `ends` would keep a trace for every turn.
  for (const signal of [reply.left, ...ends]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
  }
  const take = (text: string) => {
    pieces.push(text);
    return reply.write(text);
  };
  return model
    .reply(request, take, stop.signal)
    .finally(() => {
      for (const signal of ends) signal.removeEventListener('abort', abort);
    })
    .then((outcome) => ({
      text: pieces.join(''),
      outcome,
      error: outcome.error ?? endError(reply, outcome, ends),
    }));
}

/** A reply that the shutdown cut before its first text may be asked for again, from another instance. */
function endError(reply: TextReply, { ending }: ModelOutcome, ends: readonly AbortSignal[]): AppError | null {
  const end = ends.find((signal) => signal.aborted);
  if (ending !== 'aborted' || end === undefined || reply.left.aborted) return null;
  return end.reason instanceof AppError ? end.reason : new AppError('UPSTREAM_OVERLOADED');
}

/**
 * Ends the reply; after its first text a failure is appended, always in the same words.
 * @throws the exchange's error where nothing has been sent yet, so that it gets its own status
 */
export function conclude(reply: TextReply, { error }: Exchange): void {
  if (error !== null && !reply.begun) throw error;
  reply.end(error === null ? undefined : 'UPSTREAM_ERROR');
}

/** What the request's log line says of it. */
export function exchangeFields({ outcome: { usage, ending, stopReason, model, providerRequestId }, error }: Exchange) {
  return {
    ...usage,
    ending,
    // As the provider stated them, which may state anything.
    stopReason: nameOrNull(stopReason),
    model: nameOrNull(model),
    providerRequestId: nameOrNull(providerRequestId),
    ...(error !== null && { code: error.code, err: error }),
  };
}
