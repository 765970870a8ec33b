import { type ErrorCode, errors } from '../../shared/errors.ts';
import { type Failure, maxAttempts, nextDelaySeconds } from '../../shared/retry.ts';
import { type AskOptions, ask, type TurnRequest } from './ask.ts';
import { systemClock, waitUntil } from './clock.ts';
import type { Outcome } from './outcome.ts';

/** An attempt is on its way and nothing of the reply has arrived. `attempt` counts from 1. */
export type Waiting = { name: 'waiting'; attempt: number };

/** The last attempt failed and the next one, number `attempt` of at most `attempts`, is due at `resumesAt`. */
export type Retrying = {
  name: 'retrying';
  attempt: number;
  attempts: number;
  /** Why the last attempt failed: the code, and a sentence for the person. */
  code: ErrorCode;
  reason: string;
  /** How long the whole wait is. */
  waitSeconds: number;
  /** Milliseconds since the epoch. */
  resumesAt: number;
  /** Ends the wait; null where a `Retry-After` forbids that. */
  retryNow: (() => void) | null;
};

/** The browser is offline and no request was sent: it is sent when the browser is online again. */
export type Offline = { name: 'offline' };

export type SendOptions = AskOptions & {
  /** Called when an attempt begins, and when the wait for the next one or for the network does. */
  onPhase?: ((phase: Waiting | Retrying | Offline) => void) | undefined;
  /** Called with the outcome of each attempt, the last included. */
  onOutcome?: ((outcome: Outcome) => void) | undefined;
};

/**
 * Sends a turn, again and again as the retry table says, and resolves with the last outcome. Rejects only if a callback throws. Every
 * attempt has the same request id, and the conversation id that the service gave to an earlier one. Only an error status is followed by
 * another attempt; once text has been shown, or the connection was cut, the person decides. A request that was not sent because
 * the browser is offline is no attempt: it is sent once the browser is online. Aborting `signal` ends a wait at once.
 */
export async function sendTurn(request: TurnRequest, options: SendOptions = {}): Promise<Outcome> {
  const { clock = systemClock, signal, onPhase, onOutcome, onConversation } = options;
  const { requestId = crypto.randomUUID() } = request;
  let { conversationId } = request;
  const askOptions: AskOptions = {
    ...options,
    onConversation(id) {
      conversationId = id;
      onConversation?.(id);
    },
  };
  const failures: Failure[] = [];
  for (;;) {
    onPhase?.({ name: 'waiting', attempt: failures.length + 1 });
    const outcome = await ask({ ...request, requestId, conversationId }, askOptions);
    if (outcome.type === 'unsent') {
      onPhase?.({ name: 'offline' });
      await backOnline(signal);
      if (signal?.aborted) return { type: 'stopped' };
      continue;
    }
    onOutcome?.(outcome);
    if (outcome.type !== 'failed' || outcome.receivedText || outcome.code === undefined) return outcome;

    const { code, retryAfterSeconds, sentence } = outcome;
    failures.push(retryAfterSeconds === undefined ? { code } : { code, retryAfterSeconds });
    const delaySeconds = nextDelaySeconds(failures);
    if (delaySeconds === null) return outcome;

    const resumesAt = clock.now() + delaySeconds * 1000;
    const hurry = new AbortController();
    onPhase?.({
      name: 'retrying',
      attempt: failures.length + 1,
      attempts: attemptsInAll(failures, code),
      code,
      reason: code === 'UPSTREAM_OVERLOADED' ? busyReason : sentence,
      waitSeconds: delaySeconds,
      resumesAt,
      retryNow: errors[code].retry.delaysSeconds === 'retry-after' ? null : () => hurry.abort(),
    });
    await waitUntil(resumesAt, clock, signal ? AbortSignal.any([signal, hurry.signal]) : hurry.signal);
    if (signal?.aborted) return { type: 'stopped' };
  }
}

/** The error's own sentence goes on to advise another try, and that is what is happening. */
const busyReason = 'The model is busy.';

/** How many attempts the turn comes to if every further one fails with `code` too. */
function attemptsInAll(failures: readonly Failure[], code: Failure['code']): number {
  const otherFailures = failures.filter((failure) => failure.code !== code).length;
  return Math.min(maxAttempts, otherFailures + errors[code].retry.attempts);
}

/** Resolves once the browser is online, or as soon as `signal` aborts. */
function backOnline(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      globalThis.removeEventListener('online', finish);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    if (globalThis.navigator.onLine || signal?.aborted) return resolve();
    globalThis.addEventListener('online', finish);
    signal?.addEventListener('abort', finish);
  });
}
