import {
  budgetSentences,
  capacitySentences,
  type ErrorCode,
  errorSentence,
  parseErrorCode,
} from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';
import { codeByStatus } from '../../shared/retry.ts';
import type { Ending } from './turn.ts';

/** The service answered with an error: as a status before any text, or as a line appended to the text. */
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
  /** The value of the `Retry-After` header; undefined if there is none. */
  retryAfterSeconds: number | undefined;
  /** Whether some of the reply was received, which rules out an automatic retry. */
  receivedText: boolean;
};

/** The connection failed, was cut or became silent. */
export type Interrupted = {
  type: 'interrupted';
  requestId: string;
  /** The error of `fetch` or of the body, or an error that names the silence. */
  cause: unknown;
};

/** The browser was offline, so the request was not sent. */
export type Unsent = { type: 'unsent' };

/** The outcome of a sent attempt, or of a turn. `stopped` means that the signal was aborted. */
export type Outcome = { type: 'done' } | { type: 'stopped' } | Interrupted | Failed;

export type Refusal = Failed & { code: 'UNAUTHENTICATED' | 'NOT_ONBOARDED' };

/** Whether the user must sign in or complete onboarding before sending a turn. */
export function isRefusal(outcome: Outcome): outcome is Refusal {
  if (outcome.type !== 'failed' || outcome.receivedText) return false;
  return outcome.code === 'UNAUTHENTICATED' || outcome.code === 'NOT_ONBOARDED';
}

/** Reduces an outcome to the parts that are stored. */
export function endingOf(outcome: Outcome): Ending {
  if (outcome.type === 'interrupted') return { type: outcome.type, requestId: outcome.requestId };
  if (outcome.type !== 'failed') return outcome;
  const { type, requestId, sentence, code, status } = outcome;
  return { type, requestId, sentence, code, status };
}

/** Returns the ending of an incomplete reply whose session has ended. */
export function sessionEnded(requestId: string): Ending {
  const code = 'UNAUTHENTICATED';
  return { type: 'failed', requestId, sentence: errorSentence(code), code, status: 200 };
}

/** Reads a response with an error status. Only known codes and sentences are used, so the text of a proxy is never shown. */
export async function readFailure(response: Response, requestId: string): Promise<Failed> {
  const body = await response.text().catch(() => '');
  const code = parseErrorCode(body) ?? codeByStatus.get(response.status);
  const retryAfterSeconds = parseRetryAfter(response.headers);
  return {
    type: 'failed',
    status: response.status,
    code,
    sentence: sentenceOf(code, body) ?? sentenceForStatus(response.status),
    requestId: response.headers.get(headers.requestId) ?? requestId,
    retryAfterSeconds,
    receivedText: false,
  };
}

/** Returns a response that is neither a reply nor an error: a redirect, the page of a proxy, or an empty success. */
export function unexpectedResponse({ status, type }: Response, requestId: string): Failed {
  // Browsers hide the status of a redirect.
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  return {
    type: 'failed',
    status,
    code: undefined,
    sentence: isRedirect
      ? 'The service answered with a redirect.'
      : 'The service answered with something other than a reply.',
    requestId,
    retryAfterSeconds: undefined,
    receivedText: false,
  };
}

/** Sentences that the service sends instead of the general one of a code. */
const specificSentences = [...Object.values(capacitySentences), ...Object.values(budgetSentences)];

function sentenceOf(code: ErrorCode | undefined, body: string): string | undefined {
  if (code === undefined) return undefined;
  const specific = specificSentences.find((sentence) => body.startsWith(`${code}: ${sentence}`));
  return specific ?? errorSentence(code);
}

/**
 * `Retry-After` in whole seconds, rounded up so that no attempt is too early. A date is compared with the response's `Date`,
 * because the device's clock may be wrong. Undefined for invalid values.
 */
function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value));
  if (!httpDate.test(value)) return undefined;
  const sentAt = Date.parse(headers.get('Date') ?? '');
  const milliseconds = Date.parse(value) - (Number.isNaN(sentAt) ? Date.now() : sentAt);
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}

/** IMF-fixdate of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function sentenceForStatus(status: number): string {
  return status === 413 ? 'This message is too long to send.' : `The service answered with status ${status}.`;
}
