import type { ProviderName } from '../../../shared/session.ts';

/** A user whom an emulated provider offers, by e-mail address or login. */
export type Person = { provider: ProviderName; who: string };

/** The product remembers users, so one who must be new is used by only one test. */
export const people = {
  newPeople: [
    { provider: 'google', who: 'avery@example.com' },
    { provider: 'github', who: 'casey-example' },
    { provider: 'microsoft', who: 'drew@example.com' },
  ],
  newWithMistakes: { provider: 'github', who: 'avery-example' },
  neverOnboarded: { provider: 'microsoft', who: 'testuser@outlook.com' },
  onboarded: { provider: 'google', who: 'blake@example.com' },
  another: { provider: 'github', who: 'ghost' },
} as const satisfies Record<string, Person | readonly Person[]>;
