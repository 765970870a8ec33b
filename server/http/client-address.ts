import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Gives the address that a request's client is counted by. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * If this process is the edge, the client is the other end of the connection: no proxy has overwritten the headers. Behind
 * a proxy the client is the first token of `X-Forwarded-For`, else `X-Real-IP`, else the connection's address.
 */
export function createClientAddress({ edge }: { edge: boolean }): ClientAddress {
  return ({ headers, socket }) => countedAddress((!edge && namedAddress(headers)) || socket.remoteAddress || '');
}

/**
 * What an address counts as: IPv6 as its /64, which is what one household or server gets, and IPv4 that is written as
 * IPv6 as IPv4. Without port, brackets and zone. Any other text stays as it is.
 */
function countedAddress(text: string): string {
  const bare = withoutPort(text);
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return text;
  const address = ipaddr.IPv6.parse(written(bare.replace(/%.*$/, '')));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** The one spelling that URLs have. The library does not read all others, such as 2001:db8::203.0.113.7. */
function written(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function namedAddress(headers: IncomingMessage['headers']): string | undefined {
  return firstValue(headers['x-forwarded-for'])?.split(',', 1)[0]?.trim() || firstValue(headers['x-real-ip'])?.trim();
}

function firstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** `203.0.113.7:1234`, `[2001:db8::7]:1234` and `[2001:db8::7]` without port and brackets. */
function withoutPort(text: string): string {
  const [, inBrackets, beforePort] = /^(?:\[(.*)\](?::\d+)?|([^:]*):\d+)$/.exec(text) ?? [];
  return inBrackets ?? beforePort ?? text;
}
