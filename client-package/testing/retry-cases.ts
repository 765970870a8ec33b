import { type ErrorCode, errors, formatAppendedError, formatError, splitAppendedError } from '../../shared/errors.ts';
import { headers as names } from '../../shared/interface.ts';
import { codeByStatus, maxRetryAfterSeconds, nextDelaySeconds } from '../../shared/retry.ts';

/** The response to an attempt as sent over the wire. Null means that the connection closes without a response. */
export type CaseAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The size of the chunks in which the body arrives. One chunk by default. */
  chunkBytes?: number;
  /** The rest of the body is never sent. */
  sentBytes?: number;
  /** The pause before each chunk except the first. A few milliseconds of real time by default. */
  pauseSeconds?: number;
  /** The connection breaks after the body. */
  isCut?: true;
  /** The connection stays open but silent: from the start, or after the body. */
  silence?: 'before the headers' | 'after the body';
  /** If set, `Retry-After` is the HTTP date this many seconds after `Date`. */
  retryAfterDateSeconds?: number;
  /** The seconds by which `Date` is ahead of the client's clock, or behind it if negative. */
  dateAheadSeconds?: number;
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
  /** Starts with the rule of the guide, or with the section that has it. */
  title: string;
  /** The responses to the first question before the reply `Week 3.`. The last one can end the turn. */
  failures: readonly CaseFailure[];
  /**
   * The wait in seconds after each failure, or null if the client does not retry. If a failure follows such a null, the user asks the
   * same question again.
   */
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

const htmlHeaders = { 'Content-Type': 'text/html; charset=utf-8' };
const htmlPage = (status: number) => proxyResponse(status, '<h1>Not now</h1>', codeByStatus.get(status), htmlHeaders);
const repeat = (failure: CaseFailure, times: number) => Array.from({ length: times }, () => failure);
const limited = (seconds: number) => serviceError('RATE_LIMITED', seconds);
const overloaded = serviceError('UPSTREAM_OVERLOADED');
const upstreamError = serviceError('UPSTREAM_ERROR');
const unknownCode = proxyResponse(500, 'NOT_IN_THE_TABLE: Come back next week.', 'NOT_IN_THE_TABLE');
const rateLimitedFor = (value: string, retryAfterSeconds?: number): CaseFailure => ({
  ...proxyResponse(429, formatError('RATE_LIMITED'), 'RATE_LIMITED', { 'Retry-After': value }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const limitedUntilDate = (
  retryAfterDateSeconds: number,
  interpreted: { retryAfterSeconds?: number } = { retryAfterSeconds: retryAfterDateSeconds },
  dateAheadSeconds = 0,
): CaseFailure => ({
  code: 'RATE_LIMITED',
  ...interpreted,
  answer: {
    status: 429,
    headers: textHeaders,
    body: formatError('RATE_LIMITED'),
    retryAfterDateSeconds,
    ...(dateAheadSeconds !== 0 && { dateAheadSeconds }),
  },
});
const busy = formatError('UPSTREAM_OVERLOADED');
const manyScripts = 'Grüße aus 東京, مرحبا 🏭.';
const errorLine = formatAppendedError('UPSTREAM_ERROR');
const hourSeconds = 3600;

const [firstId, secondId] = ['ci7ya6b1mv79h6atdckfjynme', 'cm2n4fzz0q8j6y1tq7d3w5xkb'];

const inConversation = (id: string, { answer, ...failure }: CaseFailure): CaseFailure => ({
  ...failure,
  answer: answer && { ...answer, headers: { ...answer.headers, [names.conversationId]: id } },
});
type Delivery = Omit<NonNullable<CaseAnswer>, 'status' | 'headers' | 'body'>;

const responds = (body: string, delivery: Delivery = {}): CaseFailure => ({
  answer: { status: 200, headers: textHeaders, body, ...delivery },
});

const notRetried = Object.keys(errors).filter(
  (code): code is ErrorCode => Object.hasOwn(errors, code) && errors[code as ErrorCode].retry.attempts === 1,
);

/** The rule of the section Retries, or the section of the guide that has the rule. */
type Source = `rule ${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}` | 'the table' | 'the response' | 'conversations' | 'time-outs';

/** The position of a case is its number, which stays the same: add new cases at the end. */
const turns: [source: Source, title: string, failures: CaseFailure[]][] = [
  ...notRetried.map((code): (typeof turns)[number] => ['the table', `${code} is not retried`, [serviceError(code)]]),
  ['the table', 'five overloads', repeat(overloaded, 5)],
  ['the table', 'two errors of the provider', repeat(upstreamError, 2)],
  ['the table', 'five rate-limited responses', repeat(limited(3), 5)],
  ['rule 5', 'each Retry-After sets its own wait', [limited(5), limited(9)]],
  ['rule 5', 'the longest automatic wait', [limited(60)]],
  ['rule 5', 'a wait too long to be automatic', [limited(61)]],
  ['rule 5', '429 without Retry-After', [proxyResponse(429, formatError('RATE_LIMITED'), 'RATE_LIMITED')]],
  ['rule 5', '429 with a Retry-After that is neither a number nor a date', [rateLimitedFor('soon')]],
  ['rule 5', '429 with an empty Retry-After', [rateLimitedFor('')]],
  [
    'rule 5',
    'Retry-After on 503 is ignored',
    [proxyResponse(503, formatError('UPSTREAM_OVERLOADED'), 'UPSTREAM_OVERLOADED', { 'Retry-After': '120' })],
  ],
  ['rule 4', 'a mixture of five failures', [overloaded, upstreamError, overloaded, limited(5), overloaded]],
  ['rule 3', 'the second error of the provider ends the turn', [upstreamError, overloaded, upstreamError]],
  ['the table', 'a failure that is not retried ends the turn', [overloaded, serviceError('INTERNAL')]],
  ['rule 2', 'an unknown code with status 500', [unknownCode]],
  ['rule 2', 'an unknown code after another failure', [overloaded, unknownCode]],
  ['rule 1', 'an HTML page with status 503 counts as UPSTREAM_OVERLOADED', repeat(htmlPage(503), 5)],
  ['rule 1', 'an HTML page with status 502 counts as UPSTREAM_ERROR', repeat(htmlPage(502), 2)],
  [
    'rule 1',
    'an HTML page with status 429 and Retry-After counts as RATE_LIMITED',
    [
      {
        ...proxyResponse(429, '<h1>Not now</h1>', 'RATE_LIMITED', { ...htmlHeaders, 'Retry-After': '4' }),
        retryAfterSeconds: 4,
      },
    ],
  ],
  ['rule 1', 'an unknown code with status 502', [proxyResponse(502, 'BAD_GATEWAY: Not now.', 'UPSTREAM_ERROR')]],
  ['rule 2', 'an HTML page with status 504 is not retried', [htmlPage(504)]],
  [
    'rule 2',
    '413 without a code is not retried',
    [proxyResponse(413, 'The request body is larger than 1048576 bytes.\n')],
  ],
  [
    'rule 1',
    'the code takes precedence over the status',
    [proxyResponse(500, formatError('UPSTREAM_OVERLOADED'), 'UPSTREAM_OVERLOADED')],
  ],
  [
    'rule 1',
    'a non-retryable code takes precedence over status 503',
    [proxyResponse(503, formatError('INTERNAL'), 'INTERNAL')],
  ],
  ['rule 6', 'the error line after the first text', [responds(`Week 3${errorLine}`)]],
  ['rule 6', 'a connection that breaks after the first text', [responds('Week 3', { isCut: true })]],
  ['rule 7', 'a connection that closes without a response', [{ answer: null }]],
  ['rule 7', 'a connection that closes without a response, after a failure', [overloaded, { answer: null }]],
  ['rule 5', 'Retry-After of 0 counts as 1 second', [rateLimitedFor('0', 1)]],
  ['rule 5', 'a fraction in Retry-After is rounded up', [rateLimitedFor('1.5', 2)]],
  ['rule 5', 'a fraction above the longest automatic wait', [rateLimitedFor('60.5', 61)]],
  ['rule 5', 'a date in Retry-After', [limitedUntilDate(5)]],
  ['rule 5', 'a past date in Retry-After counts as 1 second', [rateLimitedFor('Sun, 06 Nov 1994 08:49:37 GMT', 1)]],
  [
    'rule 5',
    'Retry-After without status 429 is ignored, whatever the code',
    [proxyResponse(503, formatError('RATE_LIMITED'), 'RATE_LIMITED', { 'Retry-After': '5' })],
  ],
  ['the response', 'an HTML page with status 200 is not a reply', [htmlPage(200)]],
  ['the response', 'a redirect is not followed', [proxyResponse(303, '', undefined, { Location: '/api/chat/demo' })]],
  [
    'rule 1',
    'an error whose body breaks counts by its status',
    [{ code: 'UPSTREAM_OVERLOADED', answer: { status: 503, headers: textHeaders, body: 'UPSTREAM_OV', isCut: true } }],
  ],
  ['conversations', 'a reply without a failure', []],
  ['conversations', 'an empty reply is not sent back', [responds('')]],
  ['conversations', 'a blank reply is not sent back', [responds(' \n\n')]],
  [
    'the response',
    'a line like the error line within a reply is text',
    [responds(`Week 3${errorLine}\nThat line was text.`)],
  ],
  [
    'conversations',
    'a reply names the conversation of the next question',
    [inConversation(firstId, responds('Week 2.'))],
  ],
  ['rule 8', 'a failed response names the conversation of the next attempt', [inConversation(firstId, overloaded)]],
  [
    'conversations',
    'the latest response names the conversation',
    [inConversation(firstId, overloaded), inConversation(secondId, responds('Week 2.'))],
  ],
  ['rule 1', 'a code after the start of a body is not a code', [proxyResponse(404, `<h1>Not found</h1>\n${busy}`)]],
  ['rule 1', 'a code without the colon and the space is not a code', [proxyResponse(404, 'UPSTREAM_OVERLOADED:8080')]],
  [
    'rule 1',
    'the status decides for a page that contains a code',
    repeat(proxyResponse(502, `<h1>Bad gateway</h1>\n${busy}`, 'UPSTREAM_ERROR', htmlHeaders), 2),
  ],
  [
    'rule 1',
    'a redirect has no code, whatever its body',
    [proxyResponse(303, busy, undefined, { Location: '/api/chat/demo' })],
  ],
  ['rule 1', 'a success has no code, whatever its body', [proxyResponse(202, busy)]],
  ['rule 2', '404 without a code is not retried', [proxyResponse(404, 'Not found.\n')]],
  ['rule 2', '500 without a code is not retried', [htmlPage(500)]],
  ['rule 4', 'counting starts again when the user asks again', repeat(overloaded, 9)],
  ['rule 4', 'each code is counted again when the user asks again', repeat(upstreamError, 3)],
  ['rule 8', 'asking again after a broken connection sends the same request', [{ answer: null }, overloaded]],
  [
    'rule 8',
    'asking again sends the conversation of the failed response',
    [inConversation(firstId, serviceError('INTERNAL')), overloaded],
  ],
  ['rule 5', 'a negative Retry-After counts as missing', [rateLimitedFor('-5')]],
  ['rule 5', 'a hexadecimal Retry-After counts as missing', [rateLimitedFor('0x5')]],
  ['rule 5', 'a Retry-After in exponential notation counts as missing', [rateLimitedFor('5e0')]],
  ['rule 5', 'a Retry-After with a unit counts as missing', [rateLimitedFor('5s')]],
  [
    'rule 5',
    'a Retry-After of more than 25 hours counts as missing',
    [rateLimitedFor(String(maxRetryAfterSeconds + 1))],
  ],
  ['rule 5', 'a Unix time in Retry-After counts as missing', [rateLimitedFor('1893456000')]],
  ['rule 5', 'a Retry-After of 400 digits counts as missing', [rateLimitedFor('9'.repeat(400))]],
  ['rule 5', 'a date more than 25 hours later counts as missing', [limitedUntilDate(maxRetryAfterSeconds + 1, {})]],
  ['rule 5', 'a date too late to wait for automatically', [limitedUntilDate(120)]],
  [
    'rule 5',
    'a date counts from Date, an hour ahead of the client',
    [limitedUntilDate(5, { retryAfterSeconds: 5 }, hourSeconds)],
  ],
  [
    'rule 5',
    'a date counts from Date, an hour behind the client',
    [limitedUntilDate(5, { retryAfterSeconds: 5 }, -hourSeconds)],
  ],
  [
    'rule 5',
    'a date before Date counts as 1 second, an hour ahead',
    [limitedUntilDate(-30, { retryAfterSeconds: 1 }, hourSeconds)],
  ],
  [
    'rule 5',
    'a date too late by Date, an hour behind the client',
    [limitedUntilDate(120, { retryAfterSeconds: 120 }, -hourSeconds)],
  ],
  ['rule 6', 'the error line, byte by byte', [responds(`Week 3${errorLine}`, { chunkBytes: 1 })]],
  ['rule 6', 'an error line in two chunks', [responds(`Week 3${errorLine}`, { chunkBytes: 40 })]],
  ['rule 6', 'a connection that breaks within a character', [responds('Zürich', { sentBytes: 2, isCut: true })]],
  ['the response', 'text of many scripts', [responds(manyScripts)]],
  ['the response', 'text of many scripts, byte by byte', [responds(manyScripts, { chunkBytes: 1 })]],
  ['the response', 'a character that arrives in two chunks', [responds('Week 🏭', { chunkBytes: 7 })]],
  ['the response', 'line breaks and spaces around the text belong to it', [responds('  Grüße 🏭\r\n\n ')]],
  ['the response', 'a byte order mark is text', [responds('\uFEFFWeek 2.')]],
  ['the response', 'a line break at the end is text', [responds('Week 2.\n')]],
  ['the response', 'the beginning of the error line at the end is text', [responds(`Week 2${errorLine.slice(0, 20)}`)]],
  [
    'the response',
    'the error line without the empty line before it is text',
    [responds(`Week 2${errorLine.slice(1)}`)],
  ],
  ['the response', 'an error line followed by a line break is text', [responds(`Week 2${errorLine}\n`)]],
  ['the response', 'only the last of two error lines counts', [responds(`Week 2${errorLine}${errorLine}`)]],
  [
    'the response',
    'a media type in another spelling is the same',
    [proxyResponse(200, 'Week 2.', undefined, { 'Content-Type': 'Text/Plain;charset=UTF-8' })],
  ],
  [
    'the response',
    'a media type without a charset is the same',
    [proxyResponse(200, 'Grüße.', undefined, { 'Content-Type': 'text/plain' })],
  ],
  ['the response', 'a success other than 200 is not a reply', [proxyResponse(201, 'Created.')]],
  [
    'the response',
    'a redirect that keeps the method is not followed',
    [proxyResponse(307, '', undefined, { Location: '/api/chat/demo' })],
  ],
  ['time-outs', 'two minutes without a response', [responds('', { silence: 'before the headers' })]],
  ['time-outs', 'two minutes without a byte after the headers', [responds('', { silence: 'after the body' })]],
  ['time-outs', 'two minutes without a byte after the first text', [responds('Week 3', { silence: 'after the body' })]],
  [
    'time-outs',
    'a reply of more than two minutes, with shorter pauses',
    [responds('Week two is over.', { chunkBytes: 5, pauseSeconds: 60 })],
  ],
];

/** The reply that follows the failures of a case. */
export const finalReply = 'Week 3.';

const isReply = ({ status, headers }: NonNullable<CaseAnswer>) =>
  status === 200 && /^text\/plain\b/i.test(headers['Content-Type'] ?? '');

function resultOf(last: CaseAnswer | undefined): { reply: string; isComplete: boolean } {
  if (last === undefined) return { reply: finalReply, isComplete: true };
  if (last === null || !isReply(last)) return { reply: '', isComplete: false };
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // The end of the stream is not decoded, so an incomplete character is dropped.
  const sent = sentChunks(last)
    .map((chunk) => decoder.decode(chunk, { stream: true }))
    .join('');
  if (last.isCut || last.silence) return { reply: sent, isComplete: false };
  const { text, code } = splitAppendedError(sent);
  return { reply: text, isComplete: code === undefined };
}

export function sentChunks({ body, sentBytes, chunkBytes }: NonNullable<CaseAnswer>): Uint8Array[] {
  const bytes = new TextEncoder().encode(body).subarray(0, sentBytes);
  const size = chunkBytes ?? bytes.length;
  return Array.from({ length: Math.ceil(bytes.length / size) || 0 }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Returns the wait after each failure. Counting starts again after a null. */
function waitsAfter(failures: readonly CaseFailure[]): (number | null)[] {
  let counted: CaseFailure[] = [];
  return failures.map((failure) => {
    counted.push(failure);
    const seconds = nextDelaySeconds(counted.map(({ code, retryAfterSeconds }) => ({ code, retryAfterSeconds })));
    if (seconds === null) counted = [];
    return seconds;
  });
}

export const retryCases: readonly RetryCase[] = turns.map(([source, title, failures], index) => {
  const waitsSeconds = waitsAfter(failures);
  const isRetried = waitsSeconds.at(-1) !== null;
  return {
    number: index + 1,
    title: `${source}: ${title}`,
    failures,
    waitsSeconds,
    ...resultOf(isRetried ? undefined : failures.at(-1)?.answer),
  };
});
