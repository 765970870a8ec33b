import { type ErrorCode, errors, isErrorCode, type RetryRule } from './errors.ts';

/** A `Retry-After` up to this long is waited out and resent by itself; a longer one is left to the person. */
export const maxUnattendedWaitSeconds = 60;

/** The most attempts of one turn, for any mixture of failures. */
export const maxAttempts = 5;

/**
 * The code that a status stands for when the body names no code of the table. A proxy in between answers in its own words, and
 * these statuses mean the same from any sender. Any other status without a known code is not retried.
 */
export const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [429, 'RATE_LIMITED'],
  [502, 'UPSTREAM_ERROR'],
  [503, 'UPSTREAM_OVERLOADED'],
]);

export type Failure = { code: ErrorCode; retryAfterSeconds?: number | undefined };

/**
 * The wait in seconds before the next attempt, given every failure of this turn so far (the latest last),
 * or null where the turn is not to be sent again by itself. A code that the table does not have is not retried; it
 * counts as an attempt.
 */
export function nextDelaySeconds(
  failures: readonly { code: string; retryAfterSeconds?: number | undefined }[],
): number | null {
  const latest = failures.at(-1);
  if (latest === undefined || failures.length >= maxAttempts || !isErrorCode(latest.code)) return null;
  const rule: RetryRule = errors[latest.code].retry;
  const failuresOfThisCode = failures.filter(({ code }) => code === latest.code).length;
  if (failuresOfThisCode >= rule.attempts) return null;
  if (rule.delaysSeconds !== 'retry-after') return rule.delaysSeconds[failuresOfThisCode - 1] ?? null;
  const { retryAfterSeconds } = latest;
  if (retryAfterSeconds === undefined || retryAfterSeconds > maxUnattendedWaitSeconds) return null;
  return retryAfterSeconds;
}
