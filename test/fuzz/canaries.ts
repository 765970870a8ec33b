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
