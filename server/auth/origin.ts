import { createHmac, hkdfSync } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Origin } from '../database/people.ts';

/**
 * Says where requests come from, as the trail keeps it: the address as a keyed hash, which tells visits from one address
 * apart from others and cannot be turned back by trying all addresses. A new first secret begins new hashes.
 */
export function createOriginOf(secrets: readonly string[], clientAddress: (request: Request) => string) {
  const key = Buffer.from(hkdfSync('sha256', secrets[0] ?? '', '', 'addresses in the audit trail', 32));
  return (request: Request, response: Response): Origin => ({
    requestId: response.locals.context.ids.requestId,
    addressHash: createHmac('sha256', key).update(clientAddress(request)).digest('base64url').slice(0, 22),
  });
}

export type OriginOf = ReturnType<typeof createOriginOf>;
