import fc from 'fast-check';

/** What the model provider does while a case runs. */
export const moods = [
  'well',
  'overloaded',
  'refuses the key',
  'refuses the request',
  'limits',
  'fails',
  'fails in mid-stream',
  'cuts',
  'cuts in mid-stream',
  'ends early',
  'talks nonsense',
  'is silent',
] as const;

export type Mood = (typeof moods)[number];

export const anyMood: fc.Arbitrary<Mood> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Mood>('well') },
  { weight: 1, arbitrary: fc.constantFrom(...moods) },
);
