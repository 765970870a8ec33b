import { createHmac, hkdfSync } from 'node:crypto';
import type { Request, Response } from 'express';
import { clientAddress } from './client-address.ts';

/**
 * Describes the source of a request for the audit trail. The hash of the address is keyed, because all addresses could be
 * hashed to find one. Equal addresses have equal hashes until the first of the secrets is replaced.
 */
export function createAuditSourceOf([secret]: readonly [string, ...string[]]) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'addresses in the audit trail', 32));
  return (request: Request, response: Response) => ({
    requestId: response.locals.context.ids.requestId,
    addressHash: createHmac('sha256', key).update(clientAddress(request)).digest('base64url').slice(0, 22),
  });
}

export type AuditSourceOf = ReturnType<typeof createAuditSourceOf>;
