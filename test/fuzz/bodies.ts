import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyBody } from '../support/any-body.ts';
import { exampleOnboarding } from '../support/test-app.ts';
import { anyLength, anyText } from './texts.ts';

export type Header = readonly [name: string, value: string];

/** A text by its recipe: a megabyte of it is printed in one line. */
export type Recipe = { before: string; unit: string; count: number; between: string; after: string };

export const written = ({ before, unit, count, between, after }: Recipe) =>
  before + Array.from({ length: count }, () => unit).join(between) + after;

const exactly = (text: string): Recipe => ({ before: text, unit: '', count: 0, between: '', after: '' });
const json = (value: unknown) => exactly(JSON.stringify(value) ?? '');

const turn = fc
  .tuple(anyText, fc.option(anyText, { nil: undefined }))
  .map(([content, conversationId]) => json({ messages: [{ role: 'user', content }], conversationId }));

/** Many of a thing, each of them as small as can be. */
const places: readonly (readonly [before: string, after: string])[] = [
  ['{"messages":[', ']}'],
  ['{"messages":[', ',{"role":"user","content":"x"}]}'],
  ['{"messages":[{"role":"user","content":[', ']}]}'],
  ['[', ']'],
  ['{"messages":[{"role":"user","content":"x"}],"conversationId":[', ']}'],
  ['{"company":{"name":"x","industry":"x"},"profile":{"role":"x"},"engagement":{"hypotheses":[', ']}}'],
];
const elements = [
  '{}',
  '[]',
  '0',
  'null',
  '""',
  '"x"',
  '{"role":"user","content":"x"}',
  '{"role":"user","content":""}',
];
const blocks = ['{"type":"text","text":"x"}', '{"type":"text"}', '{"role":{}}'];
const wide = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...elements, ...blocks), anyLength).map(
  ([[before, after], unit, count]): Recipe => ({
    before,
    unit,
    count,
    between: ',',
    after,
  }),
);

const deep = fc
  .tuple(fc.constantFrom(...places), fc.constantFrom('[', '{"a":', '[{"content":'), anyLength, fc.boolean())
  .map(([[before, after], unit, count, closed]): Recipe => {
    const ends = { '[': ']', '{"a":': '}', '[{"content":': '}]' }[unit] ?? '';
    const most = Math.min(count, 100_000);
    return {
      before,
      unit,
      count: most,
      between: '',
      after: closed ? `0${ends.repeat(most)}${after}` : '',
    };
  });

const long = fc
  .tuple(
    fc.constantFrom('x', ' ', '\\u0000', '\\ud800', '😀', '\\"', 'é', '9', '\\n'),
    fc.constantFrom(
      ['{"messages":[{"role":"user","content":"', '"}]}'],
      ['{"messages":[{"content":"x","role":"', '"}]}'],
      ['{"messages":[{"role":"user","content":"x"}],"conversationId":"', '"}'],
      ['{"messages":[{"role":"user","content":"x"}],"', '":1}'],
      ['{"profile":{"role":"x"},"company":{"industry":"x","name":"', '"}}'],
      ['{"messages":[{"role":"user","content":"x"}],"n":1', '}'],
      ['{"messages":[{"role":"user","content":"x"}]', '}'],
    ),
    anyLength,
  )
  .map(
    ([unit, [before = '', after = ''], count]): Recipe => ({
      before,
      unit,
      count,
      between: '',
      after,
    }),
  );

const onboarding = fc.oneof(
  fc.constant(exampleOnboarding),
  fc
    .tuple(fc.constantFrom('company', 'profile', 'engagement'), fc.jsonValue({ maxDepth: 2 }))
    .map(([field, value]) => ({
      ...exampleOnboarding,
      [field]: value,
    })),
  fc.tuple(anyText, anyText).map(([name, statement]) => ({
    ...exampleOnboarding,
    company: { ...exampleOnboarding.company, name },
    engagement: { hypotheses: [statement], unknowns: [statement] },
  })),
);

const notQuiteJson = fc.constantFrom(
  '',
  '{',
  'null',
  '"',
  '{"messages":[{"role":"user","content":"x"},]}',
  '\uFEFF{"messages":[{"role":"user","content":"x"}]}',
  '{"messages":[{"role":"user","content":"x"}]}x',
  '{"messages":[],"messages":[{"role":"user","content":"x"}]}',
  '{"__proto__":{"messages":[{"role":"user","content":"x"}]}}',
  '{"messages":{"length":1,"0":{"role":"user","content":"x"}}}',
  '{"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]}',
  '{"messages":[{"role":"user","content":"x"}],"toString":1,"hasOwnProperty":2}',
  '{"messages":[{"role":"user","content":1e999}]}',
  'messages=x&role=user',
);

/** The text of a request's body. */
export const anyRecipe: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 6, arbitrary: turn },
  { weight: 6, arbitrary: anyBody.map(json) },
  { weight: 4, arbitrary: wide },
  { weight: 2, arbitrary: deep },
  { weight: 2, arbitrary: long },
  { weight: 3, arbitrary: onboarding.map(json) },
  { weight: 2, arbitrary: notQuiteJson.map(exactly) },
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

const types = [
  'application/json; charset=utf-8',
  'application/problem+json',
  'application/json; charset=utf-16',
  'application/json; charset=x',
  'application/json;;;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'json',
  '',
];

export const anyBodyOfRequest: fc.Arbitrary<Body> = fc.record({
  type: fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(null, ...types) },
  ),
  coding: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Coding>('none') },
    { weight: 1, arbitrary: fc.constantFrom(...codingNames) },
  ),
  text: anyRecipe,
});

/** The bytes of `body`, and the header that names their coding. */
export function encoded({ coding, text }: Body): { bytes: Buffer; contentEncoding: string | null } {
  const [contentEncoding, encode] = codings[coding];
  return { bytes: encode(Buffer.from(written(text))), contentEncoding };
}

/** How a request says where its body ends. */
export type Framing =
  | { how: 'length' }
  | { how: 'chunks'; size: number; extension: number }
  /** a length that is not the body's */
  | { how: 'wrong length'; by: number }
  /** headers that contradict each other or say nothing */
  | { how: 'headers'; headers: readonly Header[]; chunked: boolean }
  | { how: 'bad chunks'; text: string };

const lengths = ['-1', '0x10', '1e3', '+5', '99999999999999999999', ''];
const transfers = ['gzip, chunked', 'chunked, chunked', 'chunked, identity', 'identity', 'xchunked'];
const contradictions: readonly (readonly Header[])[] = [
  [],
  [
    ['Content-Length', '1'],
    ['Content-Length', '2'],
  ],
  [
    ['Content-Length', '3'],
    ['Transfer-Encoding', 'chunked'],
  ],
  [['Transfer-Encoding ', 'chunked']],
  ...lengths.map((length): Header[] => [['Content-Length', length]]),
  ...transfers.map((coding): Header[] => [['Transfer-Encoding', coding]]),
];

const honest: fc.Arbitrary<Framing> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Framing>({ how: 'length' }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(0, 0, 0, 10, 20_000))
      .map(([size, extension]): Framing => ({ how: 'chunks', size, extension })),
  },
);

const dishonest: fc.Arbitrary<Framing> = fc.oneof(
  fc
    .integer({ min: -50, max: 50 })
    .filter(Boolean)
    .map((by): Framing => ({ how: 'wrong length', by })),
  fc
    .tuple(fc.constantFrom(...contradictions), fc.boolean())
    .map(([headers, chunked]): Framing => ({ how: 'headers', headers, chunked })),
  fc
    .constantFrom(
      'zz\r\n',
      '-1\r\nx\r\n',
      'ffffffffffffffff\r\n',
      '5\r\nabc\r\n0\r\n\r\n',
      '1\nx\n0\n\n',
      '0\r\nX-Request-Id: two\r\n\r\n',
    )
    .map((text): Framing => ({ how: 'bad chunks', text })),
);

export const anyFraming = fc.oneof({ weight: 12, arbitrary: honest }, { weight: 1, arbitrary: dishonest });

/**
 * Whether the body ends where the framing says, and is read to there: what is wrong with chunks Node does not mind where
 * an `Upgrade` is asked for as well, and waits until the request's time is over.
 */
export const isHonest = (framing: Framing) =>
  framing.how === 'length' || (framing.how === 'chunks' && framing.extension < 1_000);

export function framed(framing: Framing, body: Buffer): { headers: readonly Header[]; bytes: Buffer } {
  switch (framing.how) {
    case 'length':
      return { headers: [['Content-Length', String(body.length)]], bytes: body };
    case 'wrong length':
      return { headers: [['Content-Length', String(Math.max(0, body.length + framing.by))]], bytes: body };
    case 'chunks': {
      // Many thousands of chunks would measure the fuzzer and not what it tests.
      const size = Math.max(framing.size, Math.ceil(body.length / 200));
      return { headers: chunkedHeader, bytes: chunks(body, size, framing.extension) };
    }
    case 'headers':
      return { headers: framing.headers, bytes: framing.chunked ? chunks(body, 1_000, 0) : body };
    case 'bad chunks':
      return { headers: chunkedHeader, bytes: Buffer.from(framing.text) };
  }
}

const chunkedHeader: readonly Header[] = [['Transfer-Encoding', 'chunked']];

function chunks(body: Buffer, size: number, extension: number): Buffer {
  const pieces: Buffer[] = [];
  const named = extension > 0 ? `;x=${'y'.repeat(extension)}` : '';
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}${named}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}
