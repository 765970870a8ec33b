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

/** An attempt that the service answered with an error: by status before any text, or by a line appended to the text. */
export type Failed = {
  type: 'failed';
  /** The HTTP status: 200 where the error was appended to the text. */
  status: number;
  /** Undefined where neither the body nor the status says which of our errors it is. */
  code: ErrorCode | undefined;
  /** What happened, as a sentence for the person, without the time to wait. */
  sentence: string;
  /** What the person can quote to an operator. */
  requestId: string;
  /** The wait that the header `Retry-After` asks for, if there is one. */
  retryAfterSeconds: number | undefined;
  /** Whether some of the reply has been shown: then nothing is retried by itself. */
  receivedText: boolean;
};

/** The connection failed, was cut or went silent. */
export type Interrupted = {
  type: 'interrupted';
  requestId: string;
  /** The error of `fetch` or of the body, or an error that names the silence. */
  cause: unknown;
};

/** The browser was offline: the request has not left the device. */
export type Unsent = { type: 'unsent' };

/** How an attempt that was sent ended, or a whole turn. `stopped` is an aborted signal. */
export type Outcome = { type: 'done' } | { type: 'stopped' } | Interrupted | Failed;

/** The service does not talk to this person as things stand. */
export type Refusal = Failed & { code: 'UNAUTHENTICATED' | 'NOT_ONBOARDED' };

/** Whether the person has to sign in, or to go through onboarding, before they can ask. */
export function isRefusal(outcome: Outcome): outcome is Refusal {
  if (outcome.type !== 'failed' || outcome.receivedText) return false;
  return outcome.code === 'UNAUTHENTICATED' || outcome.code === 'NOT_ONBOARDED';
}

/** The ending of a turn with this outcome: only the parts that are stored. */
export function endingOf(outcome: Outcome): Ending {
  if (outcome.type === 'interrupted') return { type: outcome.type, requestId: outcome.requestId };
  if (outcome.type !== 'failed') return outcome;
  const { type, requestId, sentence, code, status } = outcome;
  return { type, requestId, sentence, code, status };
}

/** The ending of a reply that broke off because the session was ended. */
export function sessionEnded(requestId: string): Ending {
  const code = 'UNAUTHENTICATED';
  return { type: 'failed', requestId, sentence: errorSentence(code), code, status: 200 };
}

/** Reads a response with an error status. Of the body only the code and a sentence of ours count: a proxy's words are never shown. */
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

/** A response that is no error and no reply either: a redirect, a page of a proxy, an empty success. */
export function notAReply({ status, type }: Response, requestId: string): Failed {
  // A page is not shown the status of a redirect.
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  return {
    type: 'failed',
    status,
    code: undefined,
    sentence: isRedirect
      ? 'The service answered with a redirect.'
      : 'The service answered with something else than a reply.',
    requestId,
    retryAfterSeconds: undefined,
    receivedText: false,
  };
}

/** What the service says in place of a code's sentence. */
const ownSentences = [...Object.values(capacitySentences), ...Object.values(budgetSentences)];

function sentenceOf(code: ErrorCode | undefined, body: string): string | undefined {
  if (code === undefined) return undefined;
  const own = ownSentences.find((sentence) => body.startsWith(`${code}: ${sentence}`));
  return own ?? errorSentence(code);
}

/**
 * The wait of `Retry-After` in whole seconds, rounded up so that it is never shorter than the service asks for. A date counts from
 * the response's own `Date`, since the clock of the device may be wrong. Undefined for anything else.
 */
function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value));
  if (!httpDate.test(value)) return undefined;
  const sentAt = Date.parse(headers.get('Date') ?? '');
  const milliseconds = Date.parse(value) - (Number.isNaN(sentAt) ? Date.now() : sentAt);
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000));
}

/** A date as RFC 9110 has servers send it: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function sentenceForStatus(status: number): string {
  return status === 413 ? 'This message is too long to send.' : `The service answered with status ${status}.`;
}
