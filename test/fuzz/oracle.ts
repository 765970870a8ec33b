import { demoErrorCodes, type ErrorCode, errors, parseErrorCode } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import type { Served } from './app.ts';
import { type Case, isAnswerable } from './requests.ts';
import { canaries } from './texts.ts';
import { type Exchanged, valuesOf } from './wire.ts';

/** What is known of a case once it is over. */
export type Evidence = {
  tried: Case;
  exchanged: Exchanged;
  settled: Awaited<ReturnType<Served['settle']>>;
  served: Pick<Served, 'otherSecrets'>;
};

/** Gives the sentences that say what is wrong, none where nothing is. */
type Rule = (evidence: Evidence) => string[];

/** Who sends whole requests gets an answer. */
const answered: Rule = ({ tried, exchanged: { responses, answered, broken } }) => {
  // What the parser refuses ends a connection at once, also while others wait there for their answers.
  const mayBeClosed = broken || tried.requests.length > 1;
  const unanswered = !answered || (responses.length === 0 && !mayBeClosed);
  return isAnswerable(tried) && unanswered ? ['Requests that are whole have no answer.'] : [];
};

/** Every response has exactly one request id, also where the HTTP parser answers. */
const requestIds: Rule = ({ exchanged }) =>
  exchanged.responses.flatMap((response) => {
    if (!response.wellFormed) return [`What came is no HTTP response: ${JSON.stringify(response).slice(0, 300)}`];
    const ids = valuesOf(response, headers.requestId.toLowerCase());
    return ids.length === 1 && ids[0] !== '' ? [] : [`A ${response.status} has ${ids.length} request ids: "${ids}".`];
  });

const ofProvider: ErrorCode[] = ['UPSTREAM_AUTH', 'UPSTREAM_BAD_REQUEST', 'UPSTREAM_ERROR', 'UPSTREAM_OVERLOADED'];

/** A 5xx is one of the table, and there is a reason for it: nothing here breaks but the provider. */
const failures: Rule = ({ tried, exchanged }) =>
  exchanged.responses.flatMap(({ status, body, complete }) => {
    if (status < 500 || !complete) return [];
    const code = parseErrorCode(body);
    if (code === undefined && body === '' && tried.requests.some(({ method }) => method === 'HEAD')) return [];
    if (code === undefined || errors[code].status !== status)
      return [`A ${status} is not in the table: ${JSON.stringify(body.slice(0, 300))}`];
    if (!ofProvider.includes(code)) return [`A request is answered with ${code}, and nothing has failed.`];
    // What demo chat sends on, the provider may refuse.
    const isDemo =
      demoErrorCodes.includes(code) && tried.requests.some(({ target }) => target.includes(routes.demoChat));
    const reason = tried.mood !== 'well' || isDemo || tried.spliced !== null;
    return reason ? [] : [`A request is answered with ${code}, and the provider was well.`];
  });

/** Live chat sends the provider only what it takes; demo chat has another code for this. */
const understood: Rule = ({ tried, exchanged }) =>
  exchanged.responses.flatMap(({ body }) => {
    const isRefused = parseErrorCode(body) === 'UPSTREAM_BAD_REQUEST' && tried.mood === 'well';
    return isRefused ? ['The provider refuses a request of live chat.'] : [];
  });

const { typed, ...hidden } = canaries;
const inside = [root, 'node_modules', 'node:internal', 'SQLSTATE', 'insert into', 'Error:', '\n    at '];

/**
 * Nothing of the server's inside, of its secrets and of other people is in an answer. Secrets and what people type are in no
 * log line; where bytes were changed, a path may hold any of them.
 */
const secrets: Rule = ({ tried, exchanged, settled, served }) => {
  const everywhere = [...Object.values(hidden), ...served.otherSecrets];
  const inLines = [...everywhere, ...(tried.spliced === null ? [typed] : [])];
  return [
    ...[...everywhere, ...inside]
      .filter((secret) => exchanged.received.includes(secret))
      .map((secret) => `An answer has ${JSON.stringify(secret)} in it.`),
    ...settled.lines.flatMap((line) =>
      inLines
        .filter((secret) => line.includes(secret))
        .map((secret) => `A log line has ${secret} in it: ${line.slice(0, 600)}`),
    ),
  ];
};

/** Nothing goes wrong that nobody foresaw: the application catches most of it, and logs it as fatal or as `INTERNAL`. */
const nothingUncaught: Rule = ({ settled }) => [
  ...settled.troubles,
  ...settled.lines
    .filter((line) => /"level":60\b|uncaught exception|"code":"INTERNAL"/.test(line))
    .map((line) => `A log line tells of it: ${line.slice(0, 1_000)}`),
];

const rules = [answered, requestIds, failures, understood, secrets, nothingUncaught];

/** Everything that is wrong with how a case went. */
export const complaints = (evidence: Evidence): string[] => rules.flatMap((rule) => rule(evidence));
