import fc from 'fast-check';

export const oneOf = <T extends unknown[]>(...weighted: { [K in keyof T]: readonly [number, fc.Arbitrary<T[K]>] }) =>
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))) as fc.Arbitrary<T[number]>;

export const canaries = {
  /** No response and no log line may contain this text. */
  sessionSecret: 'canary-session-secret-3b9d7c51e0a84f62',
  /** The provider API key of the application under test. */
  providerKey: 'test-key',
  otherMessage: 'canary-other-message-77c0d1',
  otherOrganization: 'Canary Other Organization 77c0d1',
  providerWords: 'canary-provider-words-5be2aa',
  /** Text that a user types or a browser sends. Allowed in no log line, unless a case is spliced. */
  typed: 'canary-typed-19e4b8',
} as const;

const typedTexts =
  `| |\n\n|\u0085|\u3000|\0|\uD800|\u202E|😀|'; drop table users; --|{{7*7}}|<script>alert(1)</script>|%00|../../etc/passwd
  |\n\n[UPSTREAM_ERROR: The model could not finish the reply.]`.split('|');
export const anyText = oneOf(
  [3, fc.constant<string>(canaries.typed)],
  [2, fc.string({ unit: 'binary', maxLength: 12 })],
  [2, fc.constantFrom(...typedTexts)],
);

/** A path or a request id, which are both logged. In Latin-1 and without line breaks, which would start another header. */
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

/** Any other header or a parameter, which are not logged. */
export const anyLine = oneOf([1, fc.constant(canaries.typed)], [4, anyLoggedLine]);
