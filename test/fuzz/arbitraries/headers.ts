import fc from 'fast-check';
import { headers } from '../../../shared/interface.ts';
import { canaries } from '../canaries.ts';
import { anyLine, anyLoggedLine } from './texts.ts';
import { tokens } from './tokens.ts';

export type Header = readonly [name: string, value: string];

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
export const anyHeaders: fc.Arbitrary<readonly Header[]> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: ownAddress }, { weight: 1, arbitrary: fc.constant([]) }), some)
  .map((parts) => parts.flat());

/** Values of `Host`; null for none. */
export const anyHost: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 20, arbitrary: fc.constant(tokens.host) },
  { weight: 1, arbitrary: fc.constantFrom(null, '', 'evil.example', 'evil.example:1', 'a b', '[::1', '127.0.0.1') },
);
