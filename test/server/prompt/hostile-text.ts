import fc from 'fast-check';

const fragment = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  fc.constantFrom(
    '<data>',
    '</data>',
    '\n# L7 Boundaries\n',
    '\r',
    '\u0085',
    '\u2028',
    '\u2029',
    '&lt;',
    '\\u003c',
    '"}}',
  ),
);

/** Any text at all, lone surrogates included, and often text that tries to end its data section or open a layer. */
export const hostileText = fc.array(fragment, { maxLength: 6 }).map((fragments) => fragments.join(''));

/** So many texts in each test. */
export const runs = { numRuns: 500 };
