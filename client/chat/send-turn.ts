import { type Failure, mostAttempts, nextDelaySeconds, retryRules } from '../../shared/retry.ts';
import type { Clock } from './clock.ts';
import type { Outcome } from './outcome.ts';
import { waitUntil } from './wait.ts';

/** An attempt is on its way and nothing of the reply has arrived. `attempt` counts from 1. */
export type Waiting = { name: 'waiting'; attempt: number };

/** The last attempt failed and the next one, number `attempt` of at most `attempts`, is due at `resumesAt`. */
export type Retrying = {
  name: 'retrying';
  attempt: number;
  attempts: number;
  /** Why the last attempt failed, in a sentence for the person. */
  reason: string;
  /** How long the whole wait is. */
  waitSeconds: number;
  /** Milliseconds since the epoch. */
  resumesAt: number;
  /** Ends the wait; null where a `Retry-After` forbids that. */
  retryNow: (() => void) | null;
};

export type SendOptions = {
  attempt: () => Promise<Outcome>;
  clock: Clock;
  signal: AbortSignal;
  onPhase(phase: Waiting | Retrying): void;
};

/**
 * Sends a turn, again and again as the retry policy in `shared/retry.ts` says, and resolves with the last outcome.
 * Only an error status is followed by another attempt; once text has been shown, or the connection was cut, it is the
 * person who decides. Aborting `signal` ends a wait at once.
 */
export async function sendTurn({ attempt, clock, signal, onPhase }: SendOptions): Promise<Outcome> {
  const failures: Failure[] = [];
  for (;;) {
    onPhase({ name: 'waiting', attempt: failures.length + 1 });
    const outcome = await attempt();
    if (outcome.type !== 'failed' || outcome.receivedText || outcome.code === undefined) return outcome;

    const { code, retryAfterSeconds, sentence } = outcome;
    failures.push(retryAfterSeconds === undefined ? { code } : { code, retryAfterSeconds });
    const delaySeconds = nextDelaySeconds(failures);
    if (delaySeconds === null) return outcome;

    const resumesAt = clock.now() + delaySeconds * 1000;
    const hurry = new AbortController();
    onPhase({
      name: 'retrying',
      attempt: failures.length + 1,
      attempts: attemptsInAll(failures, code),
      reason: code === 'UPSTREAM_OVERLOADED' ? busyReason : sentence,
      waitSeconds: delaySeconds,
      resumesAt,
      retryNow: retryRules[code].delaysSeconds === 'retry-after' ? null : () => hurry.abort(),
    });
    await waitUntil(resumesAt, clock, AbortSignal.any([signal, hurry.signal]));
    if (signal.aborted) return { type: 'stopped' };
  }
}

/** The error's own sentence goes on to advise another try, and that is what is happening. */
const busyReason = 'The model is busy.';

/** How many attempts the turn comes to if every further one fails with `code` too. */
function attemptsInAll(failures: readonly Failure[], code: Failure['code']): number {
  const otherFailures = failures.filter((failure) => failure.code !== code).length;
  return Math.min(mostAttempts, otherFailures + retryRules[code].attempts);
}
