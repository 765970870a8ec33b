import fc from 'fast-check';
import { headers, pages, routes } from '../../shared/interface.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
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
import { anyLine, anyLoggedLine, canaries, type Meanings, oneOf, tokens, withMeanings } from './texts.ts';

const known = [
  ...Object.values(routes),
  ...Object.values(pages),
  ...providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]),
  ...`/c/4f7c2a0e-5f0e-4f6e-9f59-3f1f8a1d2b3c /c/unknown /healthz /readyz /assets/app.js /api/conversations
    /api/conversations/c123/messages /api/engagement /api/onboarding /v1/api/chat /metrics /status`.split(/\s+/),
];
const hostile =
  String.raw`* //evil.example/ /\evil.example /%zz /c/%zz /c/a%2fb /%00 /assets/%zz /assets/..%2f..%2fpackage.json
  /assets/../../package.json /..%5c..%5cpackage.json /%2e%2e/%2e%2e/etc/passwd /.env /.git/config /api/chat%2fdemo /api//chat
  /api/./chat /api/chat;x=1 http://evil.example/api/chat http://{{host}}/healthz evil.example:443`.split(/\s+/);

const path = oneOf(
  [20, fc.constantFrom(...known)],
  [4, fc.constantFrom('', ...hostile)],
  [
    2,
    fc.tuple(fc.constantFrom(...known), fc.constantFrom(...'/ // /x %20 . ; \\'.split(' '))).map((two) => two.join('')),
  ],
  [1, fc.constantFrom(...known).map((one) => one.toUpperCase())],
  [1, anyLoggedLine.map((line) => `/${encodeURIComponent(line)}`)],
  [1, fc.integer({ min: 1_000, max: 15_000 }).map((length) => `/${'x'.repeat(length)}`)],
);

const parameterNames = 'returnTo problem invitation moved code state error x a[b][c] __proto__'.split(' ');
const parameterValues = [
  ...String.raw`/chat //evil.example https://evil.example /\evil.example %0d%0aX-Request-Id:%20two`.split(' '),
  canaries.typed,
];
const parameter = fc
  .tuple(
    fc.constantFrom(...parameterNames),
    oneOf([2, fc.constantFrom(...parameterValues)], [1, anyLine.map(encodeURIComponent)]),
  )
  .map(([name, value]) => `${name}=${value}`);

const query = oneOf(
  [6, fc.constant('')],
  [2, fc.array(parameter, { minLength: 1, maxLength: 4 }).map((all) => `?${all.join('&')}`)],
  [1, fc.constantFrom('?', '??', '?%', '?a[]=1&a[]=2', `?${'a[]=1&'.repeat(500)}`)],
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
const read: [name: string, values: string[]][] = [
  [headers.requestId, ['one', '', '   ', 'é"<>', 'a, b', 'x'.repeat(8_000), '__proto__']],
  ['X-Forwarded-For', addresses],
  ['X-Real-Ip', addresses],
  ['X-Forwarded-Proto', ['https', 'http', 'https,http', '']],
  ['X-Forwarded-Host', ['evil.example']],
  ['Forwarded', ['for=203.0.113.7;proto=https;host=evil.example']],
  ['Origin', origins],
  ['Referer', origins],
  ['Sec-Fetch-Site', ['same-origin', 'cross-site', 'none', '']],
  ['Sec-Fetch-Dest', ['document', 'empty']],
  ['Accept', ['text/event-stream', 'application/json', 'text/html', '*/*', ';q=2']],
  ['Accept-Encoding', ['gzip', 'br', 'identity;q=0, *;q=0']],
  ['Authorization', [`Bearer ${canaries.typed}`, 'Basic Og==', 'Bearer']],
  ['Connection', ['close', 'keep-alive', 'Upgrade', 'close, keep-alive', 'X-Request-Id']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Expect', ['100-continue', 'miracles', '100-Continue, x']],
  ['Range', ['bytes=0-1', 'bytes=-9999999999999', `bytes=${'0-,'.repeat(500)}`]],
  ['If-None-Match', ['*', 'W/"x"', '"']],
  ['If-Modified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'never']],
  ['TE', ['trailers', 'gzip']],
  ['Trailer', [headers.requestId]],
  ['X-HTTP-Method-Override', ['DELETE']],
  ['Max-Forwards', ['0']],
  ['__proto__', ['x']],
];

const expected = fc
  .constantFrom(...read)
  .chain(([name, values]) =>
    oneOf([4, fc.constantFrom(...values)], [1, name === headers.requestId ? anyLoggedLine : anyLine]).map(
      (value): Header => [name, value],
    ),
  );
const invented = fc.tuple(fc.constantFrom('X', 'x-anything', 'A b', 'A\u0001', ':', '', 'é'), anyLine);
const many = fc
  .integer({ min: 50, max: 2_500 })
  .map((count) => Array.from({ length: count }, (_, index): Header => [`X-${index % 40}`, 'x']));

/** Headers beside `Host`, `Cookie` and those that say what the body is; mostly from an address with limits of its own. */
const anyHeaders: fc.Arbitrary<readonly Header[]> = fc
  .tuple(
    oneOf([3, fc.ipV4().map((address): Header[] => [['X-Forwarded-For', address]])], [1, fc.constant<Header[]>([])]),
    oneOf(
      [30, fc.array(expected, { maxLength: 4 })],
      [3, fc.array(oneOf([1, expected], [1, invented]), { maxLength: 6 })],
      [1, many],
    ),
  )
  .map((parts) => parts.flat());

/** Values of `Host`; null for none. */
const hosts = [null, '', 'evil.example', 'evil.example:1', 'a b', '[::1', '127.0.0.1'];
const anyHost = oneOf([20, fc.constant(tokens.host)], [1, fc.constantFrom(...hosts)]);

/** A `Cookie` header's value: of somebody who is signed in, of nobody, or one that was tampered with. */
const anyCookie: fc.Arbitrary<string | null> = oneOf(
  [8, fc.constant(tokens.onboarded)],
  [4, fc.constant(tokens.newcomer)],
  [4, fc.constant(null)],
  [1, anyLine],
  [1, anyLine.map((line) => `advisory-chat=${line}`)],
  [1, anyLine.map((line) => `advisory-chat=s%3A${line}.${line}; ${tokens.onboarded}`)],
  [1, anyLine.map((line) => `${tokens.onboarded}${line}`)],
  [1, fc.constant(`${tokens.newcomer}; ${tokens.onboarded}`)],
  [1, fc.integer({ min: 1, max: 600 }).map((count) => 'a=b; '.repeat(count))],
);

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
const versions = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', ''];
const around = {
  version: oneOf([40, fc.constant('HTTP/1.1')], [1, fc.constantFrom(...versions)]),
  host: anyHost,
  cookie: anyCookie,
  headers: anyHeaders,
};
const body = fc.record({ content: anyBodyOfRequest, framing: anyFraming });

/** A post to an address that takes posts. */
const post = fc.record({
  method: fc.constant('POST'),
  target: oneOf(
    [12, fc.constant(routes.liveChat)],
    [5, fc.constant(routes.demoChat)],
    [5, fc.constant(routes.onboarding)],
    [1, fc.constantFrom(routes.signOut, routes.signOutEverywhere)],
  ),
  ...around,
  body,
});

/** Any method at any address, mostly without a body. */
const other = fc.record({
  method: oneOf([3, fc.constant('GET')], [1, fc.constantFrom(...methods)]),
  target: anyTarget,
  ...around,
  body: oneOf([4, fc.constant(null)], [1, body]),
});

const genuineOr = (genuine: string) =>
  oneOf(
    [6, fc.constant(genuine)],
    [1, anyLine.map(encodeURIComponent)],
    [1, fc.constantFrom('', `${genuine}x`, '%00', '%zz', '%ff')],
  );
const callbackParameter = oneOf(
  [4, genuineOr(tokens.code).map((code) => `code=${code}`)],
  [4, genuineOr(tokens.state).map((state) => `state=${state}`)],
  [1, anyLine.map((line) => `error=${encodeURIComponent(line)}`)],
  [1, anyLine.map((line) => `error_description=${encodeURIComponent(line)}`)],
  [1, genuineOr(tokens.state).map((state) => `state[]=${state}`)],
  [1, genuineOr(tokens.code).map((code) => `code[a]=${code}`)],
);
const otherCookies = [null, tokens.onboarded, tokens.newcomer, `${tokens.onboarded}; ${tokens.attempt}`];

/** The way back from a provider: as it sent the visitor, or changed on the way; and the cookie that comes with it. */
const callback = fc.record({
  method: fc.constant('GET'),
  ...around,
  target: fc
    .tuple(
      fc.constantFrom(...providerNames),
      oneOf(
        [2, fc.constant([`code=${tokens.code}`, `state=${tokens.state}`])],
        [3, fc.array(callbackParameter, { maxLength: 4 })],
      ),
    )
    .map(([provider, parameters]) => `${routes.signIn}/${provider}/callback?${parameters.join('&')}`),
  cookie: oneOf(
    [6, fc.constant(tokens.attempt)],
    [1, fc.constantFrom(...otherCookies)],
    [1, anyLine.map((line) => tokens.attempt + line)],
  ),
  body: fc.constant(null),
});

export const anyRequest: fc.Arbitrary<Request> = oneOf([5, post], [4, other], [1, callback]);

/** Whether the request's own bytes say where it ends. */
export function isDelimited({ method, version: sent, body: carried }: Request): boolean {
  return method !== 'CONNECT' && sent === 'HTTP/1.1' && (carried === null || isHonest(carried.framing));
}

/** The bytes of a request, its tokens not yet filled in. */
export function requestBytes({ method, target, version, host, cookie, headers: more, body: carried }: Request) {
  const content = carried && encoded(carried.content);
  const framing = carried && content && framed(carried.framing, content.bytes);
  const lines: [name: string, value: string | null | undefined][] = [
    ['Host', host],
    ['Cookie', cookie],
    ['Content-Type', carried?.content.type],
    ['Content-Encoding', content?.contentEncoding],
  ];
  const sent = lines.filter((line): line is [string, string] => typeof line[1] === 'string');
  const head = [...sent, ...(framing?.headers ?? []), ...more].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return { head: `${method} ${target} ${version}\r\n${head}\r\n`, body: framing?.bytes ?? Buffer.alloc(0) };
}

/** What the model provider does while a case runs. */
const moods = [
  ...([
    'well',
    'overloaded',
    'refuses the key',
    'refuses the request',
    'limits',
    'fails',
    'fails in mid-stream',
  ] as const),
  ...(['cuts', 'cuts in mid-stream', 'ends early', 'talks nonsense', 'is silent'] as const),
];

export type Mood = (typeof moods)[number];

const anyMood: fc.Arbitrary<Mood> = oneOf([3, fc.constant<Mood>('well')], [1, fc.constantFrom(...moods)]);

/** What goes over one connection, and what the provider does meanwhile. */
export type Case = {
  mood: Mood;
  /** Whose sign-in is begun beforehand, for a case that comes back from it. */
  signIn: ProviderName;
  /** One after the other, without waiting for answers. */
  requests: readonly Request[];
  /** Other bytes in the place of some; `at` is where, in thousandths of the whole; `inserted` is latin1. */
  spliced: { at: number; removed: number; inserted: string } | null;
  /** How many packets the bytes are sent in. */
  packets: number;
};

const splice = fc.record({
  at: fc.nat(1_000),
  removed: fc.nat(5),
  inserted: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
});

export const anyCase: fc.Arbitrary<Case> = fc.record({
  mood: anyMood,
  signIn: fc.constantFrom(...providerNames),
  requests: oneOf(
    [8, fc.array(anyRequest, { minLength: 1, maxLength: 1 })],
    [1, fc.array(anyRequest, { minLength: 2, maxLength: 4 })],
  ),
  spliced: oneOf([12, fc.constant(null)], [1, splice]),
  packets: oneOf([5, fc.constant(1)], [1, fc.integer({ min: 2, max: 20 })]),
});

/** Whether everything that is sent has an end, and an answer that does not wait for a provider who is silent. */
export function isAnswerable({ requests, spliced, mood }: Case): boolean {
  return spliced === null && mood !== 'is silent' && requests.every(isDelimited);
}

export function needsSignIn({ requests }: Case): boolean {
  return requests.some(({ target, cookie }) => needing.test(`${target}${cookie}`));
}

const needing = /\{\{(?:attempt|code|state)\}\}/;

/** The bytes of a case in their packets. */
export function caseBytes({ requests, spliced, packets }: Case, meanings: Meanings) {
  const parts = requests.map(requestBytes);
  const whole = Buffer.concat(
    parts.flatMap(({ head, body }) => [Buffer.from(withMeanings(head, meanings), 'latin1'), body]),
  );
  const bytes = spliced === null ? whole : splicedInto(whole, spliced);
  const size = Math.max(1, Math.ceil(bytes.length / packets));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return pieces;
}

function splicedInto(bytes: Buffer, { at, removed, inserted }: NonNullable<Case['spliced']>): Buffer {
  const place = Math.floor((at * bytes.length) / 1_000);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(inserted, 'latin1'), bytes.subarray(place + removed)]);
}
