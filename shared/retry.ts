import type { ErrorCode } from './errors.ts';

/**
 * What a client does after a failed attempt.
 * `attempts` counts the first one. `delaysSeconds[n]` is the wait after the (n+1)th failure with this code;
 * `'retry-after'` means at least the seconds of the response's `Retry-After` header.
 */
export type RetryRule = {
  attempts: number;
  delaysSeconds: readonly number[] | 'retry-after';
  policy: string;
};

const never = { attempts: 1, delaysSeconds: [], policy: 'do not retry' } as const;

/** Exponential waits 1, 2, 4, 8, … seconds, capped at 30. Five attempts leave room for four of them. */
const backoff = (attempts: number) => Array.from({ length: attempts - 1 }, (_, failure) => Math.min(2 ** failure, 30));

/** The specification's client retry policy, one rule per code: a code without a rule does not compile. */
export const retryRules = {
  RATE_LIMITED: { attempts: 5, delaysSeconds: 'retry-after', policy: 'wait at least `Retry-After` seconds' },
  UPSTREAM_OVERLOADED: {
    attempts: 5,
    delaysSeconds: backoff(5),
    policy: 'exponential backoff 1s, 2s, 4s, 8s, capped at 30s; stop after 5 attempts',
  },
  UPSTREAM_ERROR: {
    attempts: 2,
    delaysSeconds: [1],
    policy: 'retry once; if it fails again, surface to the user',
  },
  UPSTREAM_AUTH: never,
  INTERNAL: never,
  INVALID_JSON: never,
  MISSING_MESSAGES: never,
  LAST_MESSAGE_NOT_USER: never,
  UNAUTHENTICATED: never,
  NOT_ONBOARDED: never,
  UPSTREAM_BAD_REQUEST: never,
} as const satisfies Record<ErrorCode, RetryRule>;

/** The codes that are tried again. */
export type RetriedCode = {
  [Code in ErrorCode]: (typeof retryRules)[Code]['attempts'] extends 1 ? never : Code;
}[ErrorCode];

/** A `Retry-After` up to this long is waited out and resent by itself; a longer one is left to the person. */
export const longestUnattendedWaitSeconds = 60;

/** The most attempts of one turn, for any mixture of failures. */
export const mostAttempts = 5;

/**
 * The code that a status stands for when the body names no code of the table. A proxy in between answers in its own words, and
 * these statuses mean the same from any sender. Any other status without a known code is not retried.
 */
export const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [429, 'RATE_LIMITED'],
  [502, 'UPSTREAM_ERROR'],
  [503, 'UPSTREAM_OVERLOADED'],
]);

export type Failure = { code: ErrorCode; retryAfterSeconds?: number };

/**
 * The wait in seconds before the next attempt, given every failure of this turn so far (the latest last),
 * or null where the turn is not to be sent again by itself. A code that the table does not have is not retried; it
 * counts as an attempt.
 */
export function nextDelaySeconds(failures: readonly { code: string; retryAfterSeconds?: number }[]): number | null {
  const latest = failures.at(-1);
  if (latest === undefined || failures.length >= mostAttempts || !hasRule(latest.code)) return null;
  const rule: RetryRule = retryRules[latest.code];
  const failuresOfThisCode = failures.filter(({ code }) => code === latest.code).length;
  if (failuresOfThisCode >= rule.attempts) return null;
  if (rule.delaysSeconds !== 'retry-after') return rule.delaysSeconds[failuresOfThisCode - 1] ?? null;
  const { retryAfterSeconds } = latest;
  if (retryAfterSeconds === undefined || retryAfterSeconds > longestUnattendedWaitSeconds) return null;
  return retryAfterSeconds;
}

function hasRule(code: string): code is ErrorCode {
  return Object.hasOwn(retryRules, code);
}
