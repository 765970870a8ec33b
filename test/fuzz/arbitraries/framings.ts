import fc from 'fast-check';
import type { Header } from './headers.ts';

/** How a request says where its body ends. */
export type Framing =
  | { how: 'length' }
  | { how: 'chunks'; size: number; extension: number }
  /** a length that is not the body's */
  | { how: 'wrong length'; by: number }
  /** headers that contradict each other or say nothing */
  | { how: 'headers'; headers: readonly Header[]; chunked: boolean }
  | { how: 'bad chunks'; text: string };

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
  [['Content-Length', '-1']],
  [['Content-Length', '0x10']],
  [['Content-Length', '1e3']],
  [['Content-Length', '+5']],
  [['Content-Length', '99999999999999999999']],
  [['Content-Length', '']],
  [['Transfer-Encoding', 'gzip, chunked']],
  [['Transfer-Encoding', 'chunked, chunked']],
  [['Transfer-Encoding', 'chunked, identity']],
  [['Transfer-Encoding', 'identity']],
  [['Transfer-Encoding', 'xchunked']],
  [['Transfer-Encoding ', 'chunked']],
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
