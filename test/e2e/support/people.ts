import type { ProviderName } from '../../../shared/session.ts';

/** Somebody whom a provider's page of people offers, by e-mail address or login. */
export type Person = { provider: ProviderName; who: string };

/**
 * Who appears in which test. The product remembers who has been onboarded and how much they sent, so nobody who has to be
 * new, or who uses up a limit, appears in two.
 */
export const people = {
  newOnes: [
    { provider: 'google', who: 'avery@example.com' },
    { provider: 'github', who: 'casey-example' },
    { provider: 'microsoft', who: 'drew@example.com' },
  ],
  newAndCareless: { provider: 'github', who: 'avery-example' },
  neverOnboarded: { provider: 'microsoft', who: 'testuser@outlook.com' },
  onboarded: { provider: 'google', who: 'blake@example.com' },
  atTheLimit: { provider: 'github', who: 'ghost' },
} as const satisfies Record<string, Person | readonly Person[]>;
