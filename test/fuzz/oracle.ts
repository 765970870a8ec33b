import { demoErrorCodes, errorCodes, errors, parseErrorCode } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import type { FuzzedApp } from './app.ts';
import { type Case, isAnswerable } from './requests.ts';
import { canaries } from './texts.ts';
import { type Exchanged, valuesOf } from './wire.ts';

type Evidence = {
  testCase: Case;
  exchanged: Exchanged;
  aftermath: Awaited<ReturnType<FuzzedApp['inspect']>>;
  app: FuzzedApp;
};

/** Returns a sentence for each violation. */
type Rule = (evidence: Evidence) => string[];

/** Complete requests have a response. */
const answered: Rule = ({ testCase, exchanged: { responses, answered, broken } }) => {
  // A request that the HTTP parser rejects closes the connection, even if earlier requests on it are unanswered.
  const mayBeClosed = broken || testCase.requests.length > 1;
  const unanswered = !answered || (responses.length === 0 && !mayBeClosed);
  return isAnswerable(testCase) && unanswered ? ['Complete requests have no response.'] : [];
};

/** Every response has exactly one request id, including the HTTP parser's errors. */
const requestIds: Rule = ({ exchanged }) =>
  exchanged.responses.flatMap((response) => {
    if (!response.wellFormed) return [`The bytes are not an HTTP response: ${JSON.stringify(response).slice(0, 300)}`];
    const ids = valuesOf(response, headers.requestId.toLowerCase());
    return ids.length === 1 && ids[0] !== '' ? [] : [`A ${response.status} has ${ids.length} request ids: "${ids}".`];
  });

const providerCodes = errorCodes.filter((code) => code.startsWith('UPSTREAM_'));

/** A 5xx is in the table of errors and has a cause, which must be the provider: nothing else fails in these cases. */
const failures: Rule = ({ testCase, exchanged }) =>
  exchanged.responses.flatMap(({ status, body, complete }) => {
    if (status < 500 || !complete) return [];
    const code = parseErrorCode(body);
    if (code === undefined && body === '' && testCase.requests.some(({ method }) => method === 'HEAD')) return [];
    if (code === undefined || errors[code].status !== status)
      return [`A ${status} is not in the table of errors: ${JSON.stringify(body.slice(0, 300))}`];
    if (!providerCodes.includes(code)) return [`A request is answered with ${code}, although nothing has failed.`];
    // Demo chat forwards bodies that the provider can reject.
    const isDemo =
      demoErrorCodes.includes(code) && testCase.requests.some(({ target }) => target.includes(routes.demoChat));
    const hasCause = testCase.behavior !== 'replies' || isDemo || testCase.spliced !== null;
    return hasCause ? [] : [`A request is answered with ${code}, although the provider has not failed.`];
  });

/** Live chat sends only requests that the provider accepts. Demo chat has no UPSTREAM_BAD_REQUEST. */
const understood: Rule = ({ testCase, exchanged }) =>
  exchanged.responses.flatMap(({ body }) => {
    const isRefused = parseErrorCode(body) === 'UPSTREAM_BAD_REQUEST' && testCase.behavior === 'replies';
    return isRefused ? ['The provider rejects a request of live chat.'] : [];
  });

const { typed, ...hidden } = canaries;
const internals = [root, 'node_modules', 'node:internal', 'SQLSTATE', 'insert into', 'Error:', '\n    at '];

/**
 * Responses contain no internals of the server, no secrets and no data of other users. Log lines contain no secrets and no typed
 * text, except that a spliced case can move typed text into a path, which is logged.
 */
const secrets: Rule = ({ testCase, exchanged, aftermath, app }) => {
  const everywhere = [...Object.values(hidden), ...app.otherSecrets];
  const inLines = [...everywhere, ...(testCase.spliced === null ? [typed] : [])];
  return [
    ...[...everywhere, ...internals]
      .filter((secret) => exchanged.received.includes(secret))
      .map((secret) => `A response contains ${JSON.stringify(secret)}.`),
    ...aftermath.lines.flatMap((line) =>
      inLines
        .filter((secret) => line.includes(secret))
        .map((secret) => `A log line contains ${secret}: ${line.slice(0, 600)}`),
    ),
  ];
};

/** There are no unexpected errors. The application catches most of them and logs them as fatal or as `INTERNAL`. */
const nothingUncaught: Rule = ({ aftermath }) => [
  ...aftermath.problems,
  ...aftermath.lines
    .filter((line) => /"level":60\b|uncaught exception|"code":"INTERNAL"/.test(line))
    .map((line) => `The log reports an unexpected error: ${line.slice(0, 1_000)}`),
];

const rules = [answered, requestIds, failures, understood, secrets, nothingUncaught];

export const findViolations = (evidence: Evidence): string[] => rules.flatMap((rule) => rule(evidence));
