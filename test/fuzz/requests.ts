import fc from 'fast-check';
import { headers, pages, routes } from '../../shared/interface.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { type ProviderBehavior, providerBehaviors } from './app.ts';
import { anyRequestBody, type Header, type RequestBody } from './bodies.ts';
import { anyLine, anyLoggedLine, canaries, oneOf } from './texts.ts';

/** Placeholders for values that are known only when a case is sent, so that cases are deterministic. */
const tokens = {
  host: '{{host}}',
  cookieName: '{{cookieName}}',
  onboarded: '{{onboarded}}',
  newcomer: '{{newcomer}}',
  /** The cookie of a sign-in that the provider has redirected to the callback with `code` and `state`. */
  attempt: '{{attempt}}',
  code: '{{code}}',
  state: '{{state}}',
};

const words = (text: string) => text.trim().split(/\s+/);

const known = [
  ...Object.values(routes),
  ...Object.values(pages),
  ...providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]),
  ...words(`/c/4f7c2a0e-5f0e-4f6e-9f59-3f1f8a1d2b3c /c/unknown /healthz /readyz /assets/app.js /api/conversations
    /api/conversations/c123/messages /api/engagement /api/onboarding /v1/api/chat /metrics /status`),
];
const hostile =
  words(String.raw`* //evil.example/ /\evil.example /%zz /c/%zz /c/a%2fb /%00 /assets/%zz /assets/..%2f..%2fpackage.json
  /assets/../../package.json /..%5c..%5cpackage.json /%2e%2e/%2e%2e/etc/passwd /.env /.git/config /api/chat%2fdemo /api//chat
  /api/./chat /api/chat;x=1 http://evil.example/api/chat http://{{host}}/healthz evil.example:443`);

const anyKnown = fc.constantFrom(...known);
const path = oneOf(
  [20, anyKnown],
  [4, fc.constantFrom('', ...hostile)],
  [2, fc.tuple(anyKnown, fc.constantFrom(...words(String.raw`/ // /x %20 . ; \ `))).map((two) => two.join(''))],
  [1, anyKnown.map((one) => one.toUpperCase())],
  [1, anyLoggedLine.map((line) => `/${encodeURIComponent(line)}`)],
  [1, fc.integer({ min: 1_000, max: 15_000 }).map((length) => `/${'x'.repeat(length)}`)],
);

const parameterNames = words('returnTo problem invitation moved code state error x a[b][c] __proto__');
const parameterValues =
  words(String.raw`/chat //evil.example https://evil.example /\evil.example %0d%0aX-Request-Id:%20two
  ${canaries.typed}`);
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

const addresses = '203.0.113.7|::1|2001:db8::1|::ffff:203.0.113.7|, |203.0.113.7, 10.0.0.1';
const origins = `null|https://evil.example|http://${tokens.host}|http://|://|*`;

/** Headers that a server may read, with usual and unexpected values. */
const readHeaders = `${headers.requestId}: one||   |é"<>|a, b|${'x'.repeat(8_000)}|__proto__
X-Forwarded-For: ${addresses}|${'x'.repeat(9_000)}
X-Real-Ip: ${addresses}
X-Forwarded-Proto: https|http|https,http|
Origin: ${origins}
Referer: ${origins}
Sec-Fetch-Site: same-origin|cross-site|none|
Sec-Fetch-Dest: document|empty
Accept: text/event-stream|application/json|text/html|*/*|;q=2
Accept-Encoding: gzip|br|identity;q=0, *;q=0
Authorization: Bearer ${canaries.typed}|Basic Og==|Bearer
Connection: close|keep-alive|Upgrade|close, keep-alive|X-Request-Id
Upgrade: websocket|h2c
Expect: 100-continue|miracles|100-Continue, x
Range: bytes=0-1|bytes=-9999999999999|bytes=${'0-,'.repeat(500)}
If-None-Match: *|W/"x"|"
TE: trailers|gzip
Trailer: ${headers.requestId}
__proto__: x`
  .split('\n')
  .map((line): [name: string, values: string[]] => {
    const at = line.indexOf(': ');
    return [line.slice(0, at), line.slice(at + 2).split('|')];
  });
const expected = fc
  .constantFrom(...readHeaders)
  .chain(([name, values]) =>
    oneOf([4, fc.constantFrom(...values)], [1, name === headers.requestId ? anyLoggedLine : anyLine]).map(
      (value): Header => [name, value],
    ),
  );
const invented = fc.tuple(fc.constantFrom('X', 'x-anything', 'A b', 'A\u0001', ':', '', 'é'), anyLine);
const many = fc
  .integer({ min: 50, max: 2_500 })
  .map((count) => Array.from({ length: count }, (_, index): Header => [`X-${index % 40}`, 'x']));

/** Headers other than `Host`, `Cookie` and those of the body. */
const anyHeaders: fc.Arbitrary<readonly Header[]> = oneOf(
  [30, fc.array(expected, { maxLength: 4 })],
  [3, fc.array(oneOf([1, expected], [1, invented]), { maxLength: 6 })],
  [1, many],
);

/** A Cookie header: of a signed-in user, none, garbage, or a tampered one. */
const anyCookie: fc.Arbitrary<string | null> = oneOf(
  [8, fc.constant(tokens.onboarded)],
  [4, fc.constant(tokens.newcomer)],
  [4, fc.constant(null)],
  [1, anyLine],
  [1, anyLine.map((line) => `${tokens.cookieName}=${line}`)],
  [1, anyLine.map((line) => `${tokens.cookieName}=s%3A${line}.${line}; ${tokens.onboarded}`)],
  [1, anyLine.map((line) => `${tokens.onboarded}${line}`)],
  [1, fc.constant(`${tokens.newcomer}; ${tokens.onboarded}`)],
  [1, fc.integer({ min: 1, max: 600 }).map((count) => 'a=b; '.repeat(count))],
);

export type GeneratedRequest = {
  method: string;
  target: string;
  version: string;
  headers: readonly Header[];
  body: RequestBody | null;
};

const methods = words('GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT PROPFIND QUERY BREW get');
const versions = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', ''];
const hosts = [null, '', 'evil.example', 'evil.example:1', 'a b', '[::1', '127.0.0.1'];
const anyHost: fc.Arbitrary<string | null> = oneOf([20, fc.constant(tokens.host)], [1, fc.constantFrom(...hosts)]);

const header = (name: string, anyValue: fc.Arbitrary<string | null>) =>
  anyValue.map((value): Header[] => (value === null ? [] : [[name, value]]));

const request = (
  method: fc.Arbitrary<string>,
  target: fc.Arbitrary<string>,
  body: fc.Arbitrary<RequestBody | null>,
  cookie = anyCookie,
): fc.Arbitrary<GeneratedRequest> =>
  fc.record({
    method,
    target,
    version: oneOf([40, fc.constant('HTTP/1.1')], [1, fc.constantFrom(...versions)]),
    headers: fc.tuple(header('Host', anyHost), header('Cookie', cookie), anyHeaders).map((parts) => parts.flat()),
    body,
  });

const post = request(
  fc.constant('POST'),
  oneOf(
    [12, fc.constant(routes.liveChat)],
    [5, fc.constant(routes.demoChat)],
    [5, fc.constant(routes.onboarding)],
    [1, fc.constantFrom(routes.signOut, routes.signOutEverywhere, routes.join)],
  ),
  anyRequestBody,
);

const other = request(
  oneOf([3, fc.constant('GET')], [1, fc.constantFrom(...methods)]),
  fc.tuple(path, query).map((parts) => parts.join('')),
  oneOf([4, fc.constant(null)], [1, anyRequestBody]),
);

const callbackParameters = [`code=${tokens.code}`, `state=${tokens.state}`];
const changed = words(
  `code=x state=x code=%00 state=%zz code=%ff state[]=${tokens.state} code[a]=${tokens.code} error=x`,
);

/** The callback of a sign-in, with the provider's parameters or tampered ones, and usually the cookie of the attempt. */
const callback = request(
  fc.constant('GET'),
  fc
    .tuple(
      fc.constantFrom(...providerNames),
      oneOf(
        [2, fc.constant(callbackParameters)],
        [3, fc.array(oneOf([5, fc.constantFrom(...callbackParameters, ...changed)], [1, parameter]), { maxLength: 4 })],
      ),
    )
    .map(([provider, parameters]) => `${routes.signIn}/${provider}/callback?${parameters.join('&')}`),
  fc.constant(null),
  oneOf([6, fc.constant(tokens.attempt)], [1, anyCookie], [1, anyLine.map((line) => tokens.attempt + line)]),
);

const anyRequest: fc.Arbitrary<GeneratedRequest> = oneOf([5, post], [4, other], [1, callback]);

export type Case = {
  behavior: ProviderBehavior;
  /** The provider of the sign-in that is started before a case that refers to it. */
  signIn: ProviderName;
  /** The fuzzer sends these in sequence, without waiting for responses. */
  requests: readonly GeneratedRequest[];
  /** Replaces some bytes. The position `at` is in thousandths of the total length. */
  spliced: { at: number; removed: number; inserted: Uint8Array } | null;
  packets: number;
};

const splice = fc.record({ at: fc.nat(1_000), removed: fc.nat(5), inserted: fc.uint8Array({ maxLength: 8 }) });

export const anyCase: fc.Arbitrary<Case> = fc.record({
  behavior: oneOf(
    [3, fc.constant<ProviderBehavior>('replies')],
    [1, fc.constantFrom(...(Object.keys(providerBehaviors) as ProviderBehavior[]))],
  ),
  signIn: fc.constantFrom(...providerNames),
  requests: oneOf(
    [8, fc.array(anyRequest, { minLength: 1, maxLength: 1 })],
    [1, fc.array(anyRequest, { minLength: 2, maxLength: 4 })],
  ),
  spliced: oneOf([12, fc.constant(null)], [1, splice]),
  packets: oneOf([5, fc.constant(1)], [1, fc.integer({ min: 2, max: 20 })]),
});

/** Returns whether the server must respond to every request or close the connection. */
export function isAnswerable({ requests, spliced, behavior }: Case): boolean {
  if (spliced !== null || behavior === 'is silent') return false;
  // A client must wait for the response to an `Upgrade`: Node may discard the bytes after that request.
  const hasEarlierUpgrade = requests.slice(0, -1).some(({ headers }) => headers.some(([name]) => name === 'Upgrade'));
  if (hasEarlierUpgrade) return false;
  return requests.every(({ method, version }) => method !== 'CONNECT' && version === 'HTTP/1.1');
}

export const refersToSignIn = ({ requests }: Case) =>
  requests.some((request) => /\{\{(attempt|code|state)\}\}/.test(headOf(request)));

/** Serializes the requests of a case, applies the splice, and splits the bytes into packets. */
export function caseBytes({ requests, spliced, packets }: Case, tokenValues: Record<string, string>): Buffer[] {
  const filled = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (token, name) => tokenValues[name] ?? token);
  let bytes = Buffer.concat(
    requests.flatMap((request) => [
      Buffer.from(filled(headOf(request)), 'latin1'),
      request.body?.bytes ?? Buffer.alloc(0),
    ]),
  );
  if (spliced !== null) {
    const offset = Math.floor((spliced.at * bytes.length) / 1_000);
    const [before, after] = [bytes.subarray(0, offset), bytes.subarray(offset + spliced.removed)];
    bytes = Buffer.concat([before, spliced.inserted, after]);
  }
  const size = Math.max(1, Math.ceil(bytes.length / packets));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function headOf({ method, target, version, headers, body }: GeneratedRequest): string {
  const lines = [...headers, ...(body?.headers ?? [])].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} ${version}\r\n${lines.join('')}\r\n`;
}
