import { type ErrorCode, errors, isErrorCode, type RetryRule } from './errors.ts';

/** The client resends automatically after a `Retry-After` of up to this length; after a longer one, the user does. */
export const maxUnattendedWaitSeconds = 60;

/**
 * A longer `Retry-After` counts as missing: the longest wait of the service is that for a daily budget, at most 24 h 15 min, while a
 * Unix time from a proxy would block a conversation for decades.
 */
export const maxRetryAfterSeconds = 25 * 60 * 60;

/** The maximum number of attempts of one turn, for any mixture of failures. */
export const maxAttempts = 5;

/**
 * The code that a status implies if the body has no known code. A proxy on the way sends its own body, but these statuses
 * mean the same from any sender. Any other status without a known code is not retried.
 */
export const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [429, 'RATE_LIMITED'],
  [502, 'UPSTREAM_ERROR'],
  [503, 'UPSTREAM_OVERLOADED'],
]);

/** A failed attempt. `code` is undefined if the response contains no known error. */
export type Failure = {
  code: string | undefined;
  retryAfterSeconds?: number | undefined;
  receivedText?: boolean | undefined;
};

/**
 * Returns the delay in seconds before the next attempt, given every failure of this turn (the latest last), or null if the
 * turn is not retried automatically. An unknown code is not retried, but counts as an attempt. After received text nothing is
 * retried.
 */
export function nextDelaySeconds(failures: readonly Failure[]): number | null {
  const latest = failures.at(-1);
  if (latest?.code === undefined || latest.receivedText || failures.length >= maxAttempts) return null;
  if (!isErrorCode(latest.code)) return null;
  const rule: RetryRule = errors[latest.code].retry;
  const failuresOfThisCode = failures.filter(({ code }) => code === latest.code).length;
  if (failuresOfThisCode >= rule.attempts) return null;
  if (rule.delaysSeconds !== 'retry-after') return rule.delaysSeconds[failuresOfThisCode - 1] ?? null;
  const { retryAfterSeconds } = latest;
  if (retryAfterSeconds === undefined || retryAfterSeconds > maxUnattendedWaitSeconds) return null;
  return retryAfterSeconds;
}
