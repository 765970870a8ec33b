import type { IncomingMessage } from 'node:http';

/** Whom demo chat counts: the first token of `X-Forwarded-For`, else `X-Real-Ip`, else the connection's address. */
export function clientAddress({ headers, socket }: IncomingMessage): string {
  const forwarded = headers['x-forwarded-for'];
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',', 1)[0]?.trim();
  const real = headers['x-real-ip'];
  return first || (Array.isArray(real) ? real[0] : real)?.trim() || socket.remoteAddress || '';
}
