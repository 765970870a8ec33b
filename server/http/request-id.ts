import type { IncomingMessage, ServerResponse } from 'node:http';
import { ulid } from 'ulid';
import { headers } from '../../shared/interface.ts';

/** A ULID. An id that nobody has to guess needs no secure random numbers, which cost a request thirty times as much. */
export const createRequestId = () => ulid(undefined, Math.random);

/**
 * Gives the response its one `X-Request-Id`: what the client sent, as sent, else a ULID. Done before anything else can
 * fail, so that whatever answers later, our handlers or the framework's last resort, carries it.
 */
export function assignRequestId(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[headers.requestId.toLowerCase()];
  response.setHeader(headers.requestId, (Array.isArray(sent) ? sent.join(', ') : sent) || createRequestId());
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(headers.requestId));
}
