import { type ErrorCode, errors } from '../../shared/errors.ts';
import { type Failure, maxAttempts, nextDelaySeconds } from '../../shared/retry.ts';
import { type AttemptOptions, attempt, createRandomId, type TurnRequest } from './attempt.ts';
import { systemClock, waitUntil } from './clock.ts';
import type { Outcome } from './outcome.ts';

/** An attempt has started, and no text has arrived yet. `attempt` counts from 1. */
export type Waiting = { name: 'waiting'; attempt: number };

/** The last attempt failed and the next one, number `attempt` of at most `attempts`, is due at `resumesAt`. */
export type Retrying = {
  name: 'retrying';
  attempt: number;
  attempts: number;
  /** The error of the last attempt; `sentence` can be shown to the user. */
  code: ErrorCode;
  sentence: string;
  /** The full length of the wait. */
  waitSeconds: number;
  /** A time of the clock's `steadyNow`. */
  resumesAt: number;
  /** Ends the wait early; null if `Retry-After` requires the full wait. */
  retryNow: (() => void) | null;
};

/** The browser is offline. The request is sent when it is online again. */
export type Offline = { name: 'offline' };

/** An attempt that has ended. `attempt` counts from 1. */
export type AttemptReport = { attempt: number; requestId: string; outcome: Outcome };

export type SendOptions = AttemptOptions & {
  /** Called when an attempt starts, and when a wait for the next one or for the network starts. */
  onPhase?: ((phase: Waiting | Retrying | Offline) => void) | undefined;
  /** Called after each attempt, for logging. */
  onAttempt?: ((report: AttemptReport) => void) | undefined;
};

/**
 * Sends a turn with retries by the retry table, and resolves with the last outcome. Rejects as `attempt` does. All attempts
 * have the same request id, and the conversation id that the service returned for an earlier one. Only an error status is retried
 * automatically: after received text or a lost connection the user decides. If the browser is offline, the request waits for the
 * network, which does not count as an attempt. Aborting `signal` ends a wait immediately.
 */
export async function sendTurn(request: TurnRequest, options: SendOptions = {}): Promise<Outcome> {
  const { clock = systemClock, signal, onPhase, onAttempt, onConversation } = options;
  const { requestId = createRandomId() } = request;
  let { conversationId } = request;
  const attemptOptions: AttemptOptions = {
    ...options,
    onConversation(id) {
      conversationId = id;
      onConversation?.(id);
    },
  };
  const failures: Failure[] = [];
  for (;;) {
    onPhase?.({ name: 'waiting', attempt: failures.length + 1 });
    const outcome = await attempt({ ...request, requestId, conversationId }, attemptOptions);
    if (outcome.type === 'unsent') {
      onPhase?.({ name: 'offline' });
      await waitUntilOnline(signal);
      if (signal?.aborted) return { type: 'stopped' };
      continue;
    }
    onAttempt?.({ attempt: failures.length + 1, requestId, outcome });
    if (outcome.type !== 'failed') return outcome;

    failures.push(outcome);
    const delaySeconds = nextDelaySeconds(failures);
    const { code, sentence } = outcome;
    if (delaySeconds === null || code === undefined) return outcome;

    const resumesAt = clock.steadyNow() + delaySeconds * 1000;
    const skipWait = new AbortController();
    onPhase?.({
      name: 'retrying',
      attempt: failures.length + 1,
      attempts: totalAttempts(failures, code),
      code,
      sentence: code === 'UPSTREAM_OVERLOADED' ? busySentence : sentence,
      waitSeconds: delaySeconds,
      resumesAt,
      retryNow: errors[code].retry.delaysSeconds === 'retry-after' ? null : () => skipWait.abort(),
    });
    await waitUntil(resumesAt, clock, skipWait.signal, signal);
    if (signal?.aborted) return { type: 'stopped' };
  }
}

/** Replaces the error's own sentence, which advises the user to try again. */
const busySentence = 'The model is busy.';

function totalAttempts(failures: readonly Failure[], code: ErrorCode): number {
  const otherFailures = failures.filter((failure) => failure.code !== code).length;
  return Math.min(maxAttempts, otherFailures + errors[code].retry.attempts);
}

function waitUntilOnline(signal?: AbortSignal): Promise<void> {
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
