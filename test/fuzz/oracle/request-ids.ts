import { headers } from '../../../shared/interface.ts';
import { valuesOf } from '../wire/responses.ts';
import type { Rule } from './evidence.ts';

/** Every response has exactly one request id, also where the HTTP parser answers. */
export const requestIds: Rule = ({ exchanged }) =>
  exchanged.responses.flatMap((response) => {
    if (Number.isNaN(response.status)) return [`What came is no HTTP response: ${JSON.stringify(response.headers)}`];
    const ids = valuesOf(response, headers.requestId.toLowerCase());
    if (ids.length !== 1) return [`A ${response.status} has ${ids.length} request ids.`];
    return ids[0] === '' ? [`A ${response.status} has an empty request id.`] : [];
  });
