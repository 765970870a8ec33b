import { createHmac, hkdfSync } from 'node:crypto';
import type { Request, Response } from 'express';
import { clientAddress } from './client-address.ts';

/**
 * Describes the source of a request for the audit trail. The address is a keyed hash: equal addresses have equal
 * hashes, and trying all addresses does not reveal one. Replacing the first of the secrets changes all hashes.
 */
export function createAuditSourceOf([secret]: readonly [string, ...string[]]) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'addresses in the audit trail', 32));
  return (request: Request, response: Response) => ({
    requestId: response.locals.context.ids.requestId,
    addressHash: createHmac('sha256', key).update(clientAddress(request)).digest('base64url').slice(0, 22),
  });
}

export type AuditSourceOf = ReturnType<typeof createAuditSourceOf>;
