import { type ErrorCode, errors, formatAppendedError, formatError, splitAppendedError } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import { codeByStatus, nextDelaySeconds } from '../../shared/retry.ts';
import { type Answer, answersWith, cutsResponse, hangsUp } from './answers.ts';

/** The response to an attempt as sent over the wire. Null means that the connection closes without a response. */
export type CaseAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The connection breaks after the body. */
  isCut?: true;
  /** If set, `Retry-After` is the HTTP date this many seconds after the response. */
  retryAfterDateSeconds?: number;
} | null;

export type CaseFailure = {
  /** The code of an error response. Absent if neither its body nor its status has one, and without an error response. */
  code?: string;
  /** The interpreted `Retry-After`. */
  retryAfterSeconds?: number;
  answer: CaseAnswer;
};

export type RetryCase = {
  number: number;
  title: string;
  /** The responses before the reply `Week 3.`. The last one can end the turn. */
  failures: readonly CaseFailure[];
  /** The wait in seconds after each failure, or null if no further attempt follows. */
  waitsSeconds: readonly (number | null)[];
  /** The text of the reply, without the error line. A client sends it back with the next question unless it is blank. */
  reply: string;
  isComplete: boolean;
};

const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' };

function serviceError(code: ErrorCode, retryAfterSeconds?: number): CaseFailure {
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  const { status } = errors[code];
  const answer = { status, headers: { ...textHeaders, ...retryAfter }, body: formatError(code, retryAfterSeconds) };
  return { code, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), answer };
}

/** Returns a response that the service does not send itself, such as that of a proxy. */
function proxyResponse(status: number, body: string, code?: string, headers: Record<string, string> = {}): CaseFailure {
  return { ...(code !== undefined && { code }), answer: { status, headers: { ...textHeaders, ...headers }, body } };
}

const html = { 'Content-Type': 'text/html; charset=utf-8' };
const htmlPage = (status: number) => proxyResponse(status, '<h1>Not now</h1>', codeByStatus.get(status), html);
const repeat = (failure: CaseFailure, times: number) => Array.from({ length: times }, () => failure);
const limited = (seconds: number) => serviceError('RATE_LIMITED', seconds);
const overloaded = serviceError('UPSTREAM_OVERLOADED');
const upstreamError = serviceError('UPSTREAM_ERROR');
const unknownCode = proxyResponse(500, 'NOT_IN_THE_TABLE: Come back next week.', 'NOT_IN_THE_TABLE');
const rateLimitedFor = (value: string, retryAfterSeconds?: number): CaseFailure => ({
  ...proxyResponse(429, formatError('RATE_LIMITED'), 'RATE_LIMITED', { 'Retry-After': value }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const rateLimitedUntilDate = (seconds: number): CaseFailure => ({
  code: 'RATE_LIMITED',
  retryAfterSeconds: seconds,
  answer: { status: 429, headers: textHeaders, body: formatError('RATE_LIMITED'), retryAfterDateSeconds: seconds },
});

const [firstId, secondId] = ['ci7ya6b1mv79h6atdckfjynme', 'cm2n4fzz0q8j6y1tq7d3w5xkb'];

const inConversation = (id: string, { answer, ...failure }: CaseFailure): CaseFailure => ({
  ...failure,
  answer: answer && { ...answer, headers: { ...answer.headers, [names.conversationId]: id } },
});
const responds = (body: string, isCut?: true): CaseFailure => ({
  answer: { status: 200, headers: textHeaders, body, ...(isCut && { isCut }) },
});

const notRetried = Object.keys(errors).filter(
  (code): code is ErrorCode => Object.hasOwn(errors, code) && errors[code as ErrorCode].retry.attempts === 1,
);

const turns: [title: string, failures: CaseFailure[]][] = [
  ...notRetried.map((code): [string, CaseFailure[]] => [`${code} is not retried`, [serviceError(code)]]),
  ['five overloads', repeat(overloaded, 5)],
  ['two errors of the provider', repeat(upstreamError, 2)],
  ['five rate-limited responses', repeat(limited(3), 5)],
  ['each Retry-After sets its own wait', [limited(5), limited(9)]],
  ['the longest automatic wait', [limited(60)]],
  ['a wait too long to be automatic', [limited(61)]],
  ['429 without Retry-After', [proxyResponse(429, formatError('RATE_LIMITED'), 'RATE_LIMITED')]],
  ['429 with a Retry-After that is neither a number nor a date', [rateLimitedFor('soon')]],
  ['429 with an empty Retry-After', [rateLimitedFor('')]],
  [
    'Retry-After on 503 is ignored',
    [proxyResponse(503, formatError('UPSTREAM_OVERLOADED'), 'UPSTREAM_OVERLOADED', { 'Retry-After': '120' })],
  ],
  ['a mixture of five failures', [overloaded, upstreamError, overloaded, limited(5), overloaded]],
  ['the second error of the provider ends the turn', [upstreamError, overloaded, upstreamError]],
  ['a failure that is not retried ends the turn', [overloaded, serviceError('INTERNAL')]],
  ['an unknown code with status 500', [unknownCode]],
  ['an unknown code after another failure', [overloaded, unknownCode]],
  ['an HTML page with status 503 counts as UPSTREAM_OVERLOADED', repeat(htmlPage(503), 5)],
  ['an HTML page with status 502 counts as UPSTREAM_ERROR', repeat(htmlPage(502), 2)],
  [
    'an HTML page with status 429 and Retry-After counts as RATE_LIMITED',
    [
      {
        ...proxyResponse(429, '<h1>Not now</h1>', 'RATE_LIMITED', { ...html, 'Retry-After': '4' }),
        retryAfterSeconds: 4,
      },
    ],
  ],
  ['an unknown code with status 502', [proxyResponse(502, 'BAD_GATEWAY: Not now.', 'UPSTREAM_ERROR')]],
  ['an HTML page with status 504 is not retried', [htmlPage(504)]],
  ['413 without a code is not retried', [proxyResponse(413, 'The request body is larger than 1048576 bytes.\n')]],
  [
    'the code takes precedence over the status',
    [proxyResponse(500, formatError('UPSTREAM_OVERLOADED'), 'UPSTREAM_OVERLOADED')],
  ],
  ['a non-retryable code takes precedence over status 503', [proxyResponse(503, formatError('INTERNAL'), 'INTERNAL')]],
  ['the error line after the first text', [responds(`Week 3${formatAppendedError('UPSTREAM_ERROR')}`)]],
  ['a connection that breaks after the first text', [responds('Week 3', true)]],
  ['a connection that closes without a response', [{ answer: null }]],
  ['a connection that closes without a response, after a failure', [overloaded, { answer: null }]],
  ['Retry-After of 0 counts as 1 second', [rateLimitedFor('0', 1)]],
  ['a fraction in Retry-After is rounded up', [rateLimitedFor('1.5', 2)]],
  ['a fraction above the longest automatic wait', [rateLimitedFor('60.5', 61)]],
  ['a date in Retry-After', [rateLimitedUntilDate(5)]],
  ['a past date in Retry-After counts as 1 second', [rateLimitedFor('Sun, 06 Nov 1994 08:49:37 GMT', 1)]],
  [
    'Retry-After without status 429 is ignored, whatever the code',
    [proxyResponse(503, formatError('RATE_LIMITED'), 'RATE_LIMITED', { 'Retry-After': '5' })],
  ],
  ['an HTML page with status 200 is not a reply', [htmlPage(200)]],
  ['a redirect is not followed', [proxyResponse(303, '', undefined, { Location: '/api/chat/demo' })]],
  [
    'an error whose body breaks counts by its status',
    [{ code: 'UPSTREAM_OVERLOADED', answer: { status: 503, headers: textHeaders, body: 'UPSTREAM_OV', isCut: true } }],
  ],
  ['a reply without a failure', []],
  ['an empty reply is not sent back', [responds('')]],
  ['a blank reply is not sent back', [responds(' \n\n')]],
  [
    'a line like the error line within a reply is text',
    [responds(`Week 3${formatAppendedError('UPSTREAM_ERROR')}\nThat line was text.`)],
  ],
  ['a reply names the conversation of the next question', [inConversation(firstId, responds('Week 2.'))]],
  ['a failed response names the conversation of the next attempt', [inConversation(firstId, overloaded)]],
  [
    'the latest response names the conversation',
    [inConversation(firstId, overloaded), inConversation(secondId, responds('Week 2.'))],
  ],
];

function delayAfter(failures: readonly CaseFailure[]): number | null {
  const counted = failures.map(({ code, retryAfterSeconds }) => ({ code, retryAfterSeconds }));
  return nextDelaySeconds(counted);
}

/** The reply that follows the failures of a case. */
export const finalReply = 'Week 3.';

function resultOf(last: CaseAnswer | undefined): { reply: string; isComplete: boolean } {
  if (last === undefined) return { reply: finalReply, isComplete: true };
  if (last?.status !== 200 || !last.headers['Content-Type']?.startsWith('text/plain')) {
    return { reply: '', isComplete: false };
  }
  const { text, code } = splitAppendedError(last.body);
  return { reply: text, isComplete: code === undefined && !last.isCut };
}

export const retryCases: readonly RetryCase[] = turns.map(([title, failures], index) => {
  const waitsSeconds = failures.map((_, last) => delayAfter(failures.slice(0, last + 1)));
  const isRetried = waitsSeconds.at(-1) !== null;
  return {
    number: index + 1,
    title,
    failures,
    waitsSeconds,
    ...resultOf(isRetried ? undefined : failures.at(-1)?.answer),
  };
});

/** Converts the answer of a case for `FakeBackend.answer`. */
export function toAnswer(answer: CaseAnswer): Answer {
  if (answer === null) return hangsUp;
  const { status, headers, body, isCut, retryAfterDateSeconds } = answer;
  if (isCut) return cutsResponse(status, body, headers);
  if (retryAfterDateSeconds === undefined) return answersWith(status, body, headers);
  return (response) => {
    const now = Date.now();
    const dates = { Date: httpDate(now), 'Retry-After': httpDate(now + retryAfterDateSeconds * 1000) };
    return answersWith(status, body, { ...headers, ...dates })(response);
  };
}

const httpDate = (milliseconds: number) => new Date(milliseconds).toUTCString();
