import { demoErrorCodes, type ErrorCode, errors, parseErrorCode } from '../../../shared/errors.ts';
import { routes } from '../../../shared/interface.ts';
import type { Rule } from './evidence.ts';

const ofProvider: readonly ErrorCode[] = [
  'UPSTREAM_AUTH',
  'UPSTREAM_BAD_REQUEST',
  'UPSTREAM_ERROR',
  'UPSTREAM_OVERLOADED',
];

/** A 5xx is one of the table, and there is a reason for it: nothing here breaks but the provider. */
export const failures: Rule = ({ tried, exchanged }) =>
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

export const shortened = (text: string) => JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
