import fc from 'fast-check';
import { headers, pages, routes } from '../../shared/interface.ts';
import { providerNames } from '../../shared/session.ts';
import {
  anyBodyOfRequest,
  anyFraming,
  type Body,
  encoded,
  type Framing,
  framed,
  type Header,
  isHonest,
} from './bodies.ts';
import { anyLine, anyLoggedLine, canaries, tokens } from './texts.ts';

const known = [
  ...Object.values(routes),
  ...Object.values(pages),
  '/c/4f7c2a0e-5f0e-4f6e-9f59-3f1f8a1d2b3c',
  '/c/unknown',
  ...providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]),
  '/healthz',
  '/readyz',
  '/assets/app.js',
  '/api/conversations',
  '/api/conversations/c123/messages',
  '/api/engagement',
  '/api/onboarding',
  '/v1/api/chat',
  '/metrics',
  '/status',
];

const hostile = [
  '*',
  '//evil.example/',
  '/\\evil.example',
  '/%zz',
  '/c/%zz',
  '/c/a%2fb',
  '/%00',
  '/assets/%zz',
  '/assets/..%2f..%2fpackage.json',
  '/assets/../../package.json',
  '/..%5c..%5cpackage.json',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/.env',
  '/.git/config',
  '/api/chat%2fdemo',
  '/api//chat',
  '/api/./chat',
  '/api/chat;x=1',
  'http://evil.example/api/chat',
  'http://{{host}}/healthz',
  'evil.example:443',
  '',
];

const path = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...known) },
  { weight: 4, arbitrary: fc.constantFrom(...hostile) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...known), fc.constantFrom('/', '//', '/x', '%20', '.', ';', '\\'))
      .map(([one, other]) => one + other),
  },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((one) => one.toUpperCase()) },
  { weight: 1, arbitrary: anyLoggedLine.map((line) => `/${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 15_000 }).map((length) => `/${'x'.repeat(length)}`) },
);

const parameter = fc
  .tuple(
    fc.constantFrom(
      'returnTo',
      'problem',
      'invitation',
      'moved',
      'code',
      'state',
      'error',
      'x',
      'a[b][c]',
      '__proto__',
    ),
    fc.oneof(
      fc.constantFrom(
        '/chat',
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        '%0d%0aX-Request-Id:%20two',
      ),
      fc.constant(canaries.typed),
      anyLine.map(encodeURIComponent),
    ),
  )
  .map(([name, value]) => `${name}=${value}`);

const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.array(parameter, { minLength: 1, maxLength: 4 }).map((all) => `?${all.join('&')}`) },
  { weight: 1, arbitrary: fc.constantFrom('?', '??', '?%', '?a[]=1&a[]=2', `?${'a[]=1&'.repeat(500)}`) },
);

/** What stands between the method and the version of a request line. */
const anyTarget = fc.tuple(path, query).map((parts) => parts.join(''));

const origins = ['null', 'https://evil.example', `http://${tokens.host}`, 'http://', '://', '*'];
const addresses = [
  '203.0.113.7',
  '::1',
  '2001:db8::1',
  '::ffff:203.0.113.7',
  ', ',
  '203.0.113.7, 10.0.0.1',
  'x'.repeat(9_000),
];

/** Headers that something here reads, each with values that it may not expect. */
const read: Record<string, readonly string[]> = {
  [headers.requestId]: ['one', '', '   ', 'é"<>', 'a, b', 'x'.repeat(8_000), '__proto__'],
  'X-Forwarded-For': addresses,
  'X-Real-Ip': addresses,
  'X-Forwarded-Proto': ['https', 'http', 'https,http', ''],
  'X-Forwarded-Host': ['evil.example'],
  Forwarded: ['for=203.0.113.7;proto=https;host=evil.example'],
  Origin: origins,
  Referer: origins,
  'Sec-Fetch-Site': ['same-origin', 'cross-site', 'none', ''],
  'Sec-Fetch-Dest': ['document', 'empty'],
  Accept: ['text/event-stream', 'application/json', 'text/html', '*/*', ';q=2'],
  'Accept-Encoding': ['gzip', 'br', 'identity;q=0, *;q=0'],
  Authorization: [`Bearer ${canaries.typed}`, 'Basic Og==', 'Bearer'],
  Connection: ['close', 'keep-alive', 'Upgrade', 'close, keep-alive', 'X-Request-Id'],
  Upgrade: ['websocket', 'h2c'],
  Expect: ['100-continue', 'miracles', '100-Continue, x'],
  Range: ['bytes=0-1', 'bytes=-9999999999999', `bytes=${'0-,'.repeat(500)}`],
  'If-None-Match': ['*', 'W/"x"', '"'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'never'],
  TE: ['trailers', 'gzip'],
  Trailer: [headers.requestId],
  'X-HTTP-Method-Override': ['DELETE'],
  'Max-Forwards': ['0'],
  __proto__: ['x'],
};

const expected = fc
  .constantFrom(...Object.entries(read))
  .chain(([name, values]) =>
    fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom(...values) },
        { weight: 1, arbitrary: name === headers.requestId ? anyLoggedLine : anyLine },
      )
      .map((value): Header => [name, value]),
  );

const invented = fc
  .tuple(fc.constantFrom('X', 'x-anything', 'A b', 'A\u0001', ':', '', 'é'), anyLine)
  .map(([name, value]): Header => [name, value]);

const many = fc
  .integer({ min: 50, max: 2_500 })
  .map((count): Header[] => Array.from({ length: count }, (_, index) => [`X-${index % 40}`, 'x']));

const some = fc.oneof(
  { weight: 30, arbitrary: fc.array(expected, { maxLength: 4 }) },
  { weight: 3, arbitrary: fc.array(fc.oneof(expected, invented), { maxLength: 6 }) },
  { weight: 1, arbitrary: many },
);

/** An address of its own, so that limits by address are not all that is seen of a route. */
const ownAddress = fc.ipV4().map((address): Header[] => [['X-Forwarded-For', address]]);

/** Headers beside `Host`, `Cookie` and those that say what the body is. */
const anyHeaders: fc.Arbitrary<readonly Header[]> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: ownAddress }, { weight: 1, arbitrary: fc.constant([]) }), some)
  .map((parts) => parts.flat());

/** Values of `Host`; null for none. */
const anyHost: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 20, arbitrary: fc.constant(tokens.host) },
  { weight: 1, arbitrary: fc.constantFrom(null, '', 'evil.example', 'evil.example:1', 'a b', '[::1', '127.0.0.1') },
);

/** A `Cookie` header's value: of somebody who is signed in, of nobody, or one that was tampered with. */
const anyCookie: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(tokens.onboarded) },
  { weight: 4, arbitrary: fc.constant(tokens.newcomer) },
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: anyLine },
  { weight: 1, arbitrary: anyLine.map((line) => `advisory-chat=${line}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `advisory-chat=s%3A${line}.${line}; ${tokens.onboarded}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `${tokens.onboarded}${line}`) },
  { weight: 1, arbitrary: fc.constant(`${tokens.newcomer}; ${tokens.onboarded}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 600 }).map((count) => 'a=b; '.repeat(count)) },
);

const genuineOr = (genuine: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(genuine) },
    { weight: 1, arbitrary: anyLine.map(encodeURIComponent) },
    { weight: 1, arbitrary: fc.constantFrom('', `${genuine}x`, '%00', '%zz', '%ff') },
  );

const callbackParameter = fc.oneof(
  { weight: 4, arbitrary: genuineOr(tokens.code).map((code) => `code=${code}`) },
  { weight: 4, arbitrary: genuineOr(tokens.state).map((state) => `state=${state}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `error=${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `error_description=${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: genuineOr(tokens.state).map((state) => `state[]=${state}`) },
  { weight: 1, arbitrary: genuineOr(tokens.code).map((code) => `code[a]=${code}`) },
);

const callbackQuery = fc.oneof(
  { weight: 2, arbitrary: fc.constant([`code=${tokens.code}`, `state=${tokens.state}`]) },
  { weight: 3, arbitrary: fc.array(callbackParameter, { maxLength: 4 }) },
);

/** The way back from a provider: as it sent the visitor, or changed on the way; and the cookie that comes with it. */
const anyCallback = fc
  .tuple(
    fc.constantFrom(...providerNames),
    callbackQuery,
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(tokens.attempt) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, tokens.onboarded, tokens.newcomer, `${tokens.onboarded}; ${tokens.attempt}`),
      },
      { weight: 1, arbitrary: anyLine.map((line) => tokens.attempt + line) },
    ),
  )
  .map(([provider, parameters, cookie]) => ({
    target: `${routes.signIn}/${provider}/callback?${parameters.join('&')}`,
    cookie,
  }));

export type Request = {
  method: string;
  target: string;
  version: string;
  host: string | null;
  cookie: string | null;
  headers: readonly Header[];
  body: { content: Body; framing: Framing } | null;
};

const methods = 'GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT PROPFIND QUERY BREW get'.split(' ');

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

/** The bytes of a request, its tokens not yet filled in. */
export function requestBytes(request: Request): { head: string; body: Buffer } {
  const { method, target, version: sent, host, cookie, headers: more, body: carried } = request;
  const content = carried && encoded(carried.content);
  const framing = carried && content && framed(carried.framing, content.bytes);
  const lines: Header[] = [
    ...(host === null ? [] : [['Host', host] as const]),
    ...(cookie === null ? [] : [['Cookie', cookie] as const]),
    ...(carried?.content.type == null ? [] : [['Content-Type', carried.content.type] as const]),
    ...(content?.contentEncoding == null ? [] : [['Content-Encoding', content.contentEncoding] as const]),
    ...(framing?.headers ?? []),
    ...more,
  ];
  return {
    head: `${method} ${target} ${sent}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    body: framing?.bytes ?? Buffer.alloc(0),
  };
}
