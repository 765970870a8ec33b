import type { IncomingMessage, ServerResponse } from 'node:http';
import { ulid } from 'ulid';
import { headers } from '../../../shared/interface.ts';
import { boundedText } from './bounded-text.ts';

/** `requestId` is that of the response, which the client may have chosen; `ownId` is a ULID that is always ours. */
export type RequestIds = { requestId: string; ownId: string };

/** A ULID. An id that nobody has to guess needs no secure random numbers, which cost a request thirty times as much. */
export const createRequestId = () => ulid(undefined, Math.random);

const ownIds = new WeakMap<ServerResponse, string>();

/**
 * Gives the response its one `X-Request-Id`: the client's value, as sent, else a ULID. This happens before anything else can
 * fail, so that every later answer carries it, also the framework's last resort.
 */
export function assignRequestId(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[headers.requestId.toLowerCase()];
  const ownId = createRequestId();
  ownIds.set(response, ownId);
  response.setHeader(headers.requestId, (Array.isArray(sent) ? sent.join(', ') : sent) || ownId);
}

/** As the client sent it, where it sent one. For the log: `logIds`. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(headers.requestId));
}

/** As they are: for the log, `logIds`. */
export function requestIdsOf(response: ServerResponse): RequestIds {
  return { requestId: requestIdOf(response), ownId: ownIds.get(response) ?? '' };
}

/** Of a request that never became one. */
export function createRequestIds(): RequestIds {
  const ownId = createRequestId();
  return { requestId: ownId, ownId };
}

/** What every log line about a request has. */
export function logIds(response: ServerResponse): RequestIds {
  return boundedIds(requestIdsOf(response));
}

export function boundedIds({ requestId, ownId }: RequestIds): RequestIds {
  return { requestId: boundedText(requestId, 128), ownId };
}
