import fc from 'fast-check';
import { routes } from '../../../shared/interface.ts';
import { anyBodyOfRequest, type Body, encoded } from './bodies.ts';
import { anyCookie } from './cookies.ts';
import { anyFraming, type Framing, framed, isHonest } from './framings.ts';
import { anyHeaders, anyHost, type Header } from './headers.ts';
import { anyCallback } from './sign-ins.ts';
import { anyTarget } from './targets.ts';

export type Request = {
  method: string;
  target: string;
  version: string;
  host: string | null;
  cookie: string | null;
  headers: readonly Header[];
  body: { content: Body; framing: Framing } | null;
};

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'BREW',
  'get',
];

const version = fc.oneof(
  { weight: 40, arbitrary: fc.constant('HTTP/1.1') },
  { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', '') },
);

const body = fc.record({ content: anyBodyOfRequest, framing: anyFraming });
const around = { version, host: anyHost, cookie: anyCookie, headers: anyHeaders };

/** A post to an address that takes posts. */
const post = fc.record({
  method: fc.constant('POST'),
  target: fc.oneof(
    { weight: 12, arbitrary: fc.constant(routes.liveChat) },
    { weight: 5, arbitrary: fc.constant(routes.demoChat) },
    { weight: 5, arbitrary: fc.constant(routes.onboarding) },
    { weight: 1, arbitrary: fc.constantFrom(routes.signOut, routes.signOutEverywhere) },
  ),
  ...around,
  body,
});

/** Any method at any address, mostly without a body. */
const other = fc.record({
  method: fc.oneof({ weight: 3, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constantFrom(...methods) }),
  target: anyTarget,
  ...around,
  body: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: body }),
});

const callback = fc
  .record({ method: fc.constant('GET'), ...around, body: fc.constant(null) })
  .chain((request) => anyCallback.map(({ target, cookie }): Request => ({ ...request, target, cookie })));

export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 5, arbitrary: post },
  { weight: 4, arbitrary: other },
  { weight: 1, arbitrary: callback },
);

/** Whether the request's own bytes say where it ends. */
export function isDelimited({ method, version: sent, body: carried }: Request): boolean {
  return method !== 'CONNECT' && sent === 'HTTP/1.1' && (carried === null || isHonest(carried.framing));
}

/** The bytes of a request, its tokens not yet filled in, and how many they are at most once they are decoded. */
export function requestBytes(request: Request): { head: string; body: Buffer; plainBytes: number } {
  const { method, target, version: sent, host, cookie, headers, body: carried } = request;
  const content = carried && encoded(carried.content);
  const framing = carried && content && framed(carried.framing, content.bytes);
  const lines: Header[] = [
    ...(host === null ? [] : [['Host', host] as const]),
    ...(cookie === null ? [] : [['Cookie', cookie] as const]),
    ...(carried?.content.type == null ? [] : [['Content-Type', carried.content.type] as const]),
    ...(content?.contentEncoding == null ? [] : [['Content-Encoding', content.contentEncoding] as const]),
    ...(framing?.headers ?? []),
    ...headers,
  ];
  return {
    head: `${method} ${target} ${sent}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    body: framing?.bytes ?? Buffer.alloc(0),
    plainBytes: content?.plainBytes ?? 0,
  };
}
