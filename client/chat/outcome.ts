import { type ErrorCode, errors, parseErrorCode } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import { codeByStatus, maxRetryAfterSeconds } from '../../shared/retry.ts';
import type { Ending } from './turn.ts';

/** The answer was not a complete reply, for example an error status, a redirect, or a reply with an error appended to its text. */
export type Failed = {
  type: 'failed';
  /** The HTTP status: 200 if the error was appended to the text, 0 for a redirect in a browser, which hides the status. */
  status: number;
  /** Undefined if neither the body nor the status identifies one of the documented errors. */
  code: ErrorCode | undefined;
  /** A sentence for the user, without the time to wait. */
  sentence: string;
  /** The id by which operators find the request in the log. */
  requestId: string;
  /** The `Retry-After` of a 429 in whole seconds, at most 25 hours; undefined if there is no valid one, and for any other status. */
  retryAfterSeconds: number | undefined;
  /** Whether the reply had begun, which rules out an automatic retry. */
  receivedText: boolean;
};

/** The connection failed, was cut or became silent. */
export type Interrupted = {
  type: 'interrupted';
  requestId: string;
  /** The error of `fetch` or of the body, or an error that states how long no byte arrived. */
  cause: unknown;
};

/** The browser was offline, so the request was not sent. */
export type Unsent = { type: 'unsent' };

/** The outcome of a sent attempt, or of a turn. `stopped` means that the signal was aborted. */
export type Outcome = { type: 'done' } | { type: 'stopped' } | Interrupted | Failed;

export type AttemptOutcome = Outcome | Unsent;

/** The outcome of a turn of a conversation: `left` if the page was closed during the turn. It has the type of the turn's ending. */
export type TurnOutcome = Outcome | { type: 'left'; requestId: string };

export type Refusal = { type: 'failed'; code: 'UNAUTHENTICATED' | 'NOT_ONBOARDED' };

/** Returns whether the user must sign in or complete onboarding before sending a turn. */
export function isRefusal<Result extends TurnOutcome | Ending>(
  outcome: Result | null,
): outcome is Extract<Result, { type: 'failed' }> & Refusal {
  if (outcome?.type !== 'failed') return false;
  return outcome.code === 'UNAUTHENTICATED' || outcome.code === 'NOT_ONBOARDED';
}

export function endingOf(outcome: TurnOutcome): Ending {
  if (outcome.type === 'interrupted') return { type: outcome.type, requestId: outcome.requestId };
  if (outcome.type !== 'failed') return outcome;
  const { type, requestId, sentence, code, status } = outcome;
  return { type, requestId, sentence, code, status };
}

export function failureMidway(code: ErrorCode, requestId: string): Failed {
  const { sentence } = errors[code];
  return { type: 'failed', requestId, sentence, code, status: 200, retryAfterSeconds: undefined, receivedText: true };
}

/**
 * Describes a response that is not a reply: an error, a redirect, the page of a proxy, or an empty success. Only an error has a code
 * or a sentence in its `body`.
 */
export function failureOf(response: Response, body: string, requestId: string): Failed {
  const { status, headers } = response;
  const namedCode = parseErrorCode(body);
  const code = namedCode ?? codeByStatus.get(status);
  const ownSentence = code === undefined ? sentenceForStatus(response) : errors[code].sentence;
  // A response is from the service if it has a code, or if it is plain text with the id of the request. The text of a proxy is
  // never shown.
  const isFromService = namedCode !== undefined || (isPlainText(headers) && headers.get(names.requestId) === requestId);
  return {
    type: 'failed',
    status,
    code,
    sentence: (isFromService && sentenceOf(body)) || ownSentence,
    requestId: headers.get(names.requestId) ?? requestId,
    retryAfterSeconds: status === 429 ? parseRetryAfter(headers) : undefined,
    receivedText: false,
  };
}

/** Returns the sentence of an error body without the code and the time to wait; undefined if the body is not a single line. */
function sentenceOf(body: string): string | undefined {
  return /^(?:[A-Z_]+: )?(.+?)(?: Try again in \d+ seconds?\.)?\n?$/.exec(body)?.[1];
}

export function isPlainText(headers: Headers): boolean {
  return /^text\/plain\s*(;|$)/i.test(headers.get('Content-Type') ?? '');
}

/**
 * Returns `Retry-After` in whole seconds, rounded up so that no attempt is too early, and at least 1, so that `0` or a past date does
 * not use up all attempts at once. Returns undefined if it is missing, invalid, or longer than the service ever requires.
 */
function parseRetryAfter(headers: Headers): number | undefined {
  const seconds = Math.max(1, Math.ceil(secondsOf(headers.get('Retry-After')?.trim() ?? '', headers)));
  return seconds <= maxRetryAfterSeconds ? seconds : undefined;
}

/** Returns NaN for an invalid value. A date is compared with the response's `Date`, because the device's clock may be wrong. */
function secondsOf(retryAfter: string, headers: Headers): number {
  if (/^\d+(?:\.\d+)?$/.test(retryAfter)) return Number(retryAfter);
  if (!httpDate.test(retryAfter)) return Number.NaN;
  const sentAt = Date.parse(headers.get('Date') ?? '');
  return (Date.parse(retryAfter) - (Number.isNaN(sentAt) ? Date.now() : sentAt)) / 1000;
}

/** IMF-fixdate of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function sentenceForStatus({ status, type }: Response): string {
  if (status === 413) return 'This message is too long to send.';
  if (status >= 400) return `The service answered with status ${status}.`;
  const isRedirect = type === 'opaqueredirect' || status >= 300;
  return `The service answered with ${isRedirect ? 'a redirect' : 'something other than a reply'}.`;
}
