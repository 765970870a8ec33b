import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyBody } from '../support/any-body.ts';
import { exampleOnboarding } from '../support/test-app.ts';
import { anyLength, anyText, oneOf } from './texts.ts';

export type Header = readonly [name: string, value: string];

/** A text by its recipe: a megabyte of it is printed in one line. */
export type Recipe = { before: string; unit?: string; count?: number; between?: string; after?: string };

const written = ({ before, unit = '', count = 0, between = '', after = '' }: Recipe) =>
  before + Array.from({ length: count }, () => unit).join(between) + after;

const json = (value: unknown): Recipe => ({ before: JSON.stringify(value) ?? '' });

const turn = fc
  .tuple(anyText, fc.option(anyText, { nil: undefined }))
  .map(([content, conversationId]) => ({ messages: [{ role: 'user', content }], conversationId }));

/** Places in a body, the hole marked by `…`. */
const places = `{"messages":[…]}
{"messages":[…,{"role":"user","content":"x"}]}
{"messages":[{"role":"user","content":[…]}]}
[…]
{"messages":[{"role":"user","content":"x"}],"conversationId":[…]}
{"company":{"name":"x","industry":"x"},"profile":{"role":"x"},"engagement":{"hypotheses":[…]}}`;
const longPlaces = `{"messages":[{"role":"user","content":"…"}]}
{"messages":[{"content":"x","role":"…"}]}
{"messages":[{"role":"user","content":"x"}],"conversationId":"…"}
{"messages":[{"role":"user","content":"x"}],"…":1}
{"profile":{"role":"x"},"company":{"industry":"x","name":"…"}}
{"messages":[{"role":"user","content":"x"}],"n":1…}
{"messages":[{"role":"user","content":"x"}]…}`;
const anyOf = (lines: string) =>
  fc.constantFrom(...lines.split('\n')).map((line) => {
    const [before = '', after = ''] = line.split('…');
    return { before, after };
  });

/** Many of a thing, each of them as small as can be. */
const elements = `{} [] 0 null "" "x" {"role":"user","content":"x"} {"role":"user","content":""}
  {"type":"text","text":"x"} {"type":"text"} {"role":{}}`.split(/\s+/);
const wide = fc
  .tuple(anyOf(places), fc.constantFrom(...elements), anyLength)
  .map(([place, unit, count]): Recipe => ({ ...place, unit, count, between: ',' }));

const ends: Record<string, string> = { '[': ']', '{"a":': '}', '[{"content":': '}]' };
const deep = fc
  .tuple(anyOf(places), fc.constantFrom(...Object.keys(ends)), anyLength, fc.boolean())
  .map(([{ before, after }, unit, length, closed]): Recipe => {
    const count = Math.min(length, 100_000);
    return { before, unit, count, after: closed ? `0${ends[unit]?.repeat(count)}${after}` : '' };
  });

const long = fc
  .tuple(anyOf(longPlaces), fc.constantFrom('x', ' ', '\\u0000', '\\ud800', '😀', '\\"', 'é', '9', '\\n'), anyLength)
  .map(([place, unit, count]): Recipe => ({ ...place, unit, count }));

const onboarding = fc.oneof(
  fc.constant(exampleOnboarding),
  fc
    .tuple(fc.constantFrom('company', 'profile', 'engagement'), fc.jsonValue({ maxDepth: 2 }))
    .map(([field, value]) => ({ ...exampleOnboarding, [field]: value })),
  fc.tuple(anyText, anyText).map(([name, statement]) => ({
    ...exampleOnboarding,
    company: { ...exampleOnboarding.company, name },
    engagement: { hypotheses: [statement], unknowns: [statement] },
  })),
);

const notQuiteJson = `
{
null
"
{"messages":[{"role":"user","content":"x"},]}
\uFEFF{"messages":[{"role":"user","content":"x"}]}
{"messages":[{"role":"user","content":"x"}]}x
{"messages":[],"messages":[{"role":"user","content":"x"}]}
{"__proto__":{"messages":[{"role":"user","content":"x"}]}}
{"messages":{"length":1,"0":{"role":"user","content":"x"}}}
{"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]}
{"messages":[{"role":"user","content":"x"}],"toString":1,"hasOwnProperty":2}
{"messages":[{"role":"user","content":1e999}]}
messages=x&role=user`.split('\n');

/** The text of a request's body. */
const anyRecipe: fc.Arbitrary<Recipe> = oneOf(
  [6, turn.map(json)],
  [6, anyBody.map(json)],
  [4, wide],
  [2, deep],
  [2, long],
  [3, onboarding.map(json)],
  [2, fc.constantFrom(...notQuiteJson).map((before) => ({ before }))],
);

const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** How a body is coded: what the header says, and what is done. */
const codings = {
  none: [null, (plain: Buffer) => plain],
  gzip: ['gzip', gzipSync],
  deflate: ['deflate', deflateSync],
  br: ['br', (plain: Buffer) => brotliCompressSync(plain, quickBrotli)],
  'gzip twice': ['gzip, gzip', (plain: Buffer) => gzipSync(gzipSync(plain))],
  'gzip cut': ['gzip', (plain: Buffer) => gzipSync(plain).subarray(0, -9)],
  'gzip label only': ['gzip', (plain: Buffer) => plain],
  'unknown label': ['x-zstd', (plain: Buffer) => plain],
} as const;
type Coding = keyof typeof codings;
const codingNames = Object.keys(codings) as Coding[];

/** A request's body before it is framed. */
export type Body = { type: string | null; coding: Coding; text: Recipe };

const types = `application/json; charset=utf-8
application/problem+json
application/json; charset=utf-16
application/json; charset=x
application/json;;;
text/plain
application/x-www-form-urlencoded
multipart/form-data
json
`.split('\n');

export const anyBodyOfRequest: fc.Arbitrary<Body> = fc.record({
  type: oneOf([12, fc.constant('application/json')], [1, fc.constantFrom(null, ...types)]),
  coding: oneOf([8, fc.constant<Coding>('none')], [1, fc.constantFrom(...codingNames)]),
  text: anyRecipe,
});

/** The bytes of `body`, and the header that names their coding. */
export function encoded({ coding, text }: Body): { bytes: Buffer; contentEncoding: string | null } {
  const [contentEncoding, encode] = codings[coding];
  return { bytes: encode(Buffer.from(written(text))), contentEncoding };
}

/** How a request says where its body ends: rightly, or in a way that is not so. */
export type Framing =
  | { how: 'length' }
  | { how: 'chunks'; size: number; extension: number }
  | { how: 'wrong length'; by: number }
  /** headers that contradict each other or say nothing */
  | { how: 'headers'; headers: readonly Header[]; chunked: boolean }
  | { how: 'bad chunks'; text: string };

const length = (value: string): Header => ['Content-Length', value];
const transfer = (value: string): Header => ['Transfer-Encoding', value];
const contradictions: readonly (readonly Header[])[] = [
  [],
  [length('1'), length('2')],
  [length('3'), transfer('chunked')],
  [['Transfer-Encoding ', 'chunked']],
  ...['-1', '0x10', '1e3', '+5', '99999999999999999999', ''].map((value) => [length(value)]),
  ...['gzip, chunked', 'chunked, chunked', 'chunked, identity', 'identity', 'xchunked'].map((value) => [
    transfer(value),
  ]),
];
const badChunks = [
  'zz\r\n',
  '-1\r\nx\r\n',
  'ffffffffffffffff\r\n',
  '5\r\nabc\r\n0\r\n\r\n',
  '1\nx\n0\n\n',
  '0\r\nX-Request-Id: two\r\n\r\n',
];

export const anyFraming: fc.Arbitrary<Framing> = oneOf(
  [60, fc.constant({ how: 'length' as const })],
  [
    20,
    fc.record({
      how: fc.constant('chunks' as const),
      size: fc.integer({ min: 1, max: 70_000 }),
      extension: fc.constantFrom(0, 0, 0, 10, 20_000),
    }),
  ],
  [2, fc.record({ how: fc.constant('wrong length' as const), by: fc.integer({ min: -50, max: 50 }).filter(Boolean) })],
  [
    2,
    fc.record({
      how: fc.constant('headers' as const),
      headers: fc.constantFrom(...contradictions),
      chunked: fc.boolean(),
    }),
  ],
  [2, fc.record({ how: fc.constant('bad chunks' as const), text: fc.constantFrom(...badChunks) })],
);

/**
 * Whether the body ends where the framing says, and is read to there: what is wrong with chunks Node does not mind where
 * an `Upgrade` is asked for as well, and waits until the request's time is over.
 */
export const isHonest = (framing: Framing) =>
  framing.how === 'length' || (framing.how === 'chunks' && framing.extension < 1_000);

export function framed(framing: Framing, body: Buffer): { headers: readonly Header[]; bytes: Buffer } {
  switch (framing.how) {
    case 'length':
      return { headers: [length(String(body.length))], bytes: body };
    case 'wrong length':
      return { headers: [length(String(Math.max(0, body.length + framing.by)))], bytes: body };
    case 'chunks': {
      // Many thousands of chunks would measure the fuzzer and not what it tests.
      const size = Math.max(framing.size, Math.ceil(body.length / 200));
      return { headers: [transfer('chunked')], bytes: chunks(body, size, framing.extension) };
    }
    case 'headers':
      return { headers: framing.headers, bytes: framing.chunked ? chunks(body, 1_000, 0) : body };
    case 'bad chunks':
      return { headers: [transfer('chunked')], bytes: Buffer.from(framing.text) };
  }
}

function chunks(body: Buffer, size: number, extension: number): Buffer {
  const pieces: Buffer[] = [];
  const named = extension > 0 ? `;x=${'y'.repeat(extension)}` : '';
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}${named}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}
