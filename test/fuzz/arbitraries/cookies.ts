import fc from 'fast-check';
import { anyLine } from './texts.ts';
import { tokens } from './tokens.ts';

/** A `Cookie` header's value: of somebody who is signed in, of nobody, or one that was tampered with. */
export const anyCookie: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(tokens.onboarded) },
  { weight: 4, arbitrary: fc.constant(tokens.newcomer) },
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: anyLine },
  { weight: 1, arbitrary: anyLine.map((line) => `advisory-chat=${line}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `advisory-chat=s%3A${line}.${line}; ${tokens.onboarded}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `${tokens.onboarded}${line}`) },
  { weight: 1, arbitrary: fc.constant(`${tokens.newcomer}; ${tokens.onboarded}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 600 }).map((count) => 'a=b; '.repeat(count)) },
);
