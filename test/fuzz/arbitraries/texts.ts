import fc from 'fast-check';
import { canaries } from '../canaries.ts';

/** A length that is mostly small, and now and then as large as a body may be. */
export const anyLength = fc.oneof(
  { weight: 20, arbitrary: fc.nat({ max: 20 }) },
  { weight: 4, arbitrary: fc.nat({ max: 3_000 }) },
  { weight: 1, arbitrary: fc.nat({ max: 350_000 }) },
);

/** Text as a person or an attacker types it. */
export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constant(canaries.typed) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\0',
      '\uD800',
      '\u202E',
      '😀',
      "'; drop table users; --",
      '{{7*7}}',
      '<script>alert(1)</script>',
      '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]',
      '%00',
      '../../etc/passwd',
    ),
  },
);

/** Bytes that a path or a request id may be made of, as latin1: no line ends, which begin another line. Both are logged. */
export const anyLoggedLine = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  fc.uint8Array({ maxLength: 12 }).map((bytes) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replaceAll(/[\r\n\0]/g, 'x'),
  ),
  fc.constantFrom('', ' ', ',', ', ,', '"', '=', ';', '*', '\t', '{}', 'null', '-1', 'NaN'),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'x'.repeat(length)),
);

/** What any other header or a parameter may be: it is not logged. */
export const anyLine = fc.oneof(
  { weight: 1, arbitrary: fc.constant(canaries.typed) },
  { weight: 4, arbitrary: anyLoggedLine },
);
