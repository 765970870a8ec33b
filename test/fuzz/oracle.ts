import { z } from 'zod';
import { demoErrorCodes, type ErrorCode, errors, parseErrorCode } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import type { Served, Settled } from './app.ts';
import { type Case, isAnswerable } from './requests.ts';
import { canaries } from './texts.ts';
import { type Exchanged, type Response, valuesOf } from './wire.ts';

/** What is known of a case once it is over. */
export type Evidence = {
  tried: Case;
  exchanged: Exchanged;
  settled: Settled;
  served: Pick<Served, 'url' | 'providerOrigins' | 'otherSecrets'>;
};

/** Gives the sentences that say what is wrong, none where nothing is. */
type Rule = (evidence: Evidence) => string[];

/** Who sends whole requests gets an answer, and nothing goes on for long once they have it or have left. */
const answered: Rule = ({ tried, exchanged, settled }) => {
  const { responses, broken } = exchanged;
  // What the parser refuses ends a connection at once, also while others wait there for their answers.
  const mayBeClosed = broken || tried.requests.length > 1;
  const unanswered = !exchanged.answered || (responses.length === 0 && !mayBeClosed);
  return [
    ...(isAnswerable(tried) && unanswered ? ['Requests that are whole have no answer.'] : []),
    ...(settled.over ? [] : ['A request is still under way, although its client has its answer or has left.']),
  ];
};

/** Every response has exactly one request id, also where the HTTP parser answers. */
const requestIds: Rule = ({ exchanged }) =>
  exchanged.responses.flatMap((response) => {
    if (Number.isNaN(response.status)) return [`What came is no HTTP response: ${JSON.stringify(response.headers)}`];
    const ids = valuesOf(response, headers.requestId.toLowerCase());
    if (ids.length !== 1) return [`A ${response.status} has ${ids.length} request ids.`];
    return ids[0] === '' ? [`A ${response.status} has an empty request id.`] : [];
  });

const ofProvider: readonly ErrorCode[] = [
  'UPSTREAM_AUTH',
  'UPSTREAM_BAD_REQUEST',
  'UPSTREAM_ERROR',
  'UPSTREAM_OVERLOADED',
];

/** A 5xx is one of the table, and there is a reason for it: nothing here breaks but the provider. */
const failures: Rule = ({ tried, exchanged }) =>
  exchanged.responses.flatMap(({ status, body, complete }) => {
    if (status < 500 || !complete) return [];
    const code = parseErrorCode(body);
    if (code === undefined && body === '' && tried.requests.some(({ method }) => method === 'HEAD')) return [];
    if (code === undefined || errors[code].status !== status)
      return [`A ${status} is not in the table: ${shortened(body)}`];
    if (!ofProvider.includes(code)) return [`A request is answered with ${code}, and nothing has failed.`];
    // What demo chat sends on, the provider may refuse.
    const isDemo =
      demoErrorCodes.includes(code) && tried.requests.some(({ target }) => target.includes(routes.demoChat));
    const reason = tried.mood !== 'well' || isDemo || tried.spliced !== null;
    return reason ? [] : [`A request is answered with ${code}, and the provider was well.`];
  });

const shortened = (text: string) => JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** A refusal is `CODE: sentence` or a sentence, in plain text; the fields of a form have a sentence each. */
const refusals: Rule = ({ exchanged }) =>
  exchanged.responses
    .filter(({ status, complete }) => status >= 400 && complete)
    .filter((response) => !isPlain(response))
    .map(({ status, body }) => `A ${status} is no sentence in plain text: ${shortened(body)}`);

function isPlain(response: Response): boolean {
  const { status, body } = response;
  const [type = ''] = valuesOf(response, 'content-type');
  // The answer to a HEAD.
  if (body === '') return true;
  // A page for people who mistyped an address, and the standing of a static file that has changed.
  if (status === 404 && type.startsWith('text/html')) return true;
  if (status === 422) return type.startsWith('application/json') && areSentences(body);
  const code = parseErrorCode(body);
  const isSentence = code === undefined ? /^[A-Z][^\n]{1,200}\.\n?$/.test(body) : errors[code].status === status;
  return type.startsWith('text/plain') && isSentence && !body.slice(0, -1).includes('\n');
}

const fieldsSchema = z.record(z.string(), z.string());

function areSentences(body: string): boolean {
  try {
    return fieldsSchema.safeParse(JSON.parse(Buffer.from(body, 'latin1').toString())).success;
  } catch {
    return false;
  }
}

/** A redirect leads to this site or to a sign-in provider. */
const redirects: Rule = ({ exchanged, served }) => {
  const allowed = [new URL(served.url).origin, ...served.providerOrigins];
  return exchanged.responses
    .flatMap((response) => valuesOf(response, 'location'))
    .filter((location) => !allowed.includes(URL.parse(location, served.url)?.origin ?? ''))
    .map((location) => `A redirect leads to ${location}`);
};

const { typed, ...hidden } = canaries;

/** Nothing of the server's inside, of its secrets and of other people is in an answer. */
const secretsInAnswers: Rule = ({ exchanged, served }) => {
  const inside = [root, 'node_modules', 'node:internal', 'SQLSTATE', 'insert into', 'Error:', '\n    at '];
  return [...Object.values(hidden), ...served.otherSecrets, ...inside]
    .filter((secret) => exchanged.received.includes(secret))
    .map((secret) => `An answer has ${JSON.stringify(secret)} in it.`);
};

/** Secrets and what people type are in no log line; where bytes were changed, a path may hold any of them. */
const secretsInLogs: Rule = ({ tried, settled, served }) => {
  const secrets = [...Object.values(hidden), ...served.otherSecrets, ...(tried.spliced === null ? [typed] : [])];
  return settled.lines.flatMap((line) =>
    secrets
      .filter((secret) => line.includes(secret))
      .map((secret) => `A log line has ${secret} in it: ${line.slice(0, 600)}`),
  );
};

const fatal = 60;
const lineSchema = z.object({ level: z.number(), msg: z.string().optional(), code: z.string().optional() });

/** Nothing goes wrong that nobody foresaw. */
const nothingUncaught: Rule = ({ settled }) => [
  ...settled.uncaught,
  ...settled.lines
    .filter(isUncaught)
    .map((line) => `A log line tells of an error that nobody caught: ${line.slice(0, 1_000)}`),
];

function isUncaught(line: string): boolean {
  const { level, msg = '', code } = lineSchema.parse(JSON.parse(line));
  return level >= fatal || msg.includes('nobody caught') || code === 'INTERNAL';
}

/** The process serves others as before, and nothing of the other organization has changed. */
const othersUnharmed: Rule = ({ settled }) => [
  ...(settled.ailment === undefined ? [] : [settled.ailment]),
  ...(settled.otherUnchanged ? [] : ['Rows of the other organization have changed.']),
];

const rules: readonly Rule[] = [
  ...[answered, requestIds, failures, refusals, redirects],
  ...[secretsInAnswers, secretsInLogs, nothingUncaught, othersUnharmed],
];

/** Everything that is wrong with how a case went. */
export const complaints = (evidence: Evidence): string[] => rules.flatMap((rule) => rule(evidence));
