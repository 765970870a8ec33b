import { createHmac, hkdfSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Returns the address by which rate limits and the audit trail identify the client of a request: the first entry of
 * `X-Forwarded-For`, else `X-Real-IP`, else the connection's address. The proxy must overwrite these headers, because a client
 * can send them too.
 */
export function clientAddress({ headers, socket }: IncomingMessage): string {
  return normalizeAddress(forwardedAddress(headers) || socket.remoteAddress || '');
}

const privateRanges: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
]);

export function isPrivateAddress(address: string): boolean {
  const bare = address.replace('/64', '');
  return ipaddr.isValid(bare) && privateRanges.has(ipaddr.parse(bare).range());
}

/**
 * Normalizes an address for counting. IPv6 becomes its /64, the usual network of one household or server;
 * IPv4-mapped IPv6 becomes IPv4. Port, brackets and zone are removed. Any other text is returned unchanged.
 */
function normalizeAddress(text: string): string {
  const bare = withoutPort(text);
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return text;
  const address = ipaddr.IPv6.parse(canonicalSpelling(bare.replace(/%.*$/, '')));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Returns the spelling that URLs use. The library cannot parse some others, such as 2001:db8::203.0.113.7. */
function canonicalSpelling(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function forwardedAddress(headers: IncomingMessage['headers']): string {
  // Node joins repeated headers with commas.
  const [first = ''] = String(headers['x-forwarded-for'] ?? '').split(',', 1);
  return first.trim() || String(headers['x-real-ip'] ?? '').trim();
}

/** Removes the port and brackets of `203.0.113.7:1234`, `[2001:db8::7]:1234` and `[2001:db8::7]`. */
function withoutPort(text: string): string {
  const [, inBrackets, beforePort] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(text) ?? [];
  return inBrackets ?? beforePort ?? text;
}

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
