import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyRecipe, type Recipe, written } from './json-texts.ts';

const codings = [
  'none',
  'gzip',
  'deflate',
  'br',
  'gzip twice',
  'gzip cut',
  'gzip label only',
  'unknown label',
] as const;
type Coding = (typeof codings)[number];

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
    { weight: 1, arbitrary: fc.constantFrom(...codings) },
  ),
  text: anyRecipe,
});

const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** The bytes of `body`, the header that names their coding, and how many they are before they are coded. */
export function encoded({ coding, text }: Body): { bytes: Buffer; contentEncoding: string | null; plainBytes: number } {
  const plain = Buffer.from(written(text));
  const as = (contentEncoding: string | null, bytes: Buffer) => ({ bytes, contentEncoding, plainBytes: plain.length });
  switch (coding) {
    case 'none':
      return as(null, plain);
    case 'gzip':
      return as('gzip', gzipSync(plain));
    case 'deflate':
      return as('deflate', deflateSync(plain));
    case 'br':
      return as('br', brotliCompressSync(plain, quickBrotli));
    case 'gzip twice':
      return as('gzip, gzip', gzipSync(gzipSync(plain)));
    case 'gzip cut':
      return as('gzip', gzipSync(plain).subarray(0, -9));
    case 'gzip label only':
      return as('gzip', plain);
    case 'unknown label':
      return as('x-zstd', plain);
  }
}
