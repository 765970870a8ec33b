import fc from 'fast-check';

/** One of these, the heavier the oftener. */
export const oneOf = <T extends unknown[]>(...weighted: { [K in keyof T]: readonly [number, fc.Arbitrary<T[K]>] }) =>
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))) as fc.Arbitrary<T[number]>;

/** Texts that must not turn up where they have no business. */
export const canaries = {
  /** May be in no response and in no log line. */
  sessionSecret: 'canary-session-secret-3b9d7c51e0a84f62',
  /** The key that the application under test has for its provider. */
  providerKey: 'test-key',
  otherMessage: 'canary-other-message-77c0d1',
  otherOrganization: 'Canary Other Organization 77c0d1',
  providerWords: 'canary-provider-words-5be2aa',
  /** What a person types or a browser sends may be in no log line. */
  typed: 'canary-typed-19e4b8',
} as const;

/** Text as a person or an attacker types it. */
const typedTexts =
  `| |\n\n|\u0085|\u3000|\0|\uD800|\u202E|😀|'; drop table users; --|{{7*7}}|<script>alert(1)</script>|%00|../../etc/passwd
  |\n\n[UPSTREAM_ERROR: The model could not finish the reply.]`.split('|');
export const anyText = oneOf(
  [3, fc.constant<string>(canaries.typed)],
  [2, fc.string({ unit: 'binary', maxLength: 12 })],
  [2, fc.constantFrom(...typedTexts)],
);

/** What a path or a request id may be, as latin1: without line ends, which begin another line. Both are logged. */
export const anyLoggedLine = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  fc.uint8Array({ maxLength: 12 }).map((bytes) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\0\r\n]/g, ''),
  ),
  fc.constantFrom(...'| |,|, ,|"|=|;|*|\t|{}|null|-1|NaN'.split('|')),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'x'.repeat(length)),
);

/** What any other header or a parameter may be: it is not logged. */
export const anyLine = oneOf([1, fc.constant(canaries.typed)], [4, anyLoggedLine]);
