import { errorCodes, errors } from '../shared/errors.ts';
import { type Failure, nextDelaySeconds } from '../shared/retry.ts';

/** The failures of a turn in order; a code may be one that the table does not have. */
type Met = { code: string; retryAfterSeconds?: number };

const repeated = (failure: Met, times: number): Met[] => Array.from({ length: times }, () => failure);
const limited = (retryAfterSeconds: number): Failure => ({ code: 'RATE_LIMITED', retryAfterSeconds });
const overloaded: Failure = { code: 'UPSTREAM_OVERLOADED' };
const upstreamError: Failure = { code: 'UPSTREAM_ERROR' };
const unknown: Met = { code: 'NOT_IN_THE_TABLE' };

const met: Met[][] = [
  ...errorCodes.filter((code) => errors[code].retry.attempts === 1).map((code) => [{ code }]),
  repeated(overloaded, 5),
  repeated(upstreamError, 2),
  repeated(limited(3), 5),
  [limited(5), limited(9)],
  [limited(60)],
  [limited(61)],
  [{ code: 'RATE_LIMITED' }],
  [{ ...overloaded, retryAfterSeconds: 120 }],
  [overloaded, upstreamError, overloaded, limited(5), overloaded],
  [upstreamError, overloaded, upstreamError],
  [overloaded, { code: 'INTERNAL' }],
  [unknown],
  [overloaded, unknown],
];

/** Turns that fail, and after each failure the wait in seconds, or null where nothing is sent any more. */
export const retryCases = met.map((failures) => ({
  failures,
  waitsSeconds: failures.map((_, last) => nextDelaySeconds(failures.slice(0, last + 1))),
}));
