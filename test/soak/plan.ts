import fc from 'fast-check';
import type { ErrorCode } from '../../shared/errors.ts';

/** What a text is recognized by wherever it turns up: in the provider's request, in an answer, in a row. */
export const questionMark = (turn: number) => `[question ${turn}]`;
export const replyMark = (turn: number, attempt: number) => `[reply ${turn}.${attempt}]`;

/** The number of the turn whose question `text` is. */
export function turnAsked(text: string): number {
  const turn = /^\[question (\d+)\]/.exec(text)?.[1];
  if (turn === undefined) throw new Error('This is no question of a test.');
  return Number(turn);
}

export type Consequence = { weight: number; before?: ErrorCode; after?: true };

/** What can become of a request at the provider, how often, and which error live chat answers before text, or appends after it. */
export const fates = {
  reply: { weight: 820 },
  'slow reply': { weight: 40 },
  'refused with 529': { weight: 15, before: 'UPSTREAM_OVERLOADED' },
  'refused with 500': { weight: 10, before: 'UPSTREAM_ERROR' },
  'refused with 429': { weight: 5, before: 'UPSTREAM_ERROR' },
  'refused with 401': { weight: 5, before: 'UPSTREAM_AUTH' },
  'refused with 400': { weight: 5, before: 'UPSTREAM_BAD_REQUEST' },
  'error event before text': { weight: 10, before: 'UPSTREAM_ERROR' },
  'overloaded event before text': { weight: 10, before: 'UPSTREAM_OVERLOADED' },
  'error event after text': { weight: 10, after: true },
  'cut before text': { weight: 10, before: 'UPSTREAM_ERROR' },
  'cut after text': { weight: 10, after: true },
  'ended before text': { weight: 10, before: 'UPSTREAM_ERROR' },
  'ended after text': { weight: 10, after: true },
  'malformed before text': { weight: 10, before: 'UPSTREAM_ERROR' },
  'malformed after text': { weight: 10, after: true },
  'silent before text': { weight: 5, before: 'UPSTREAM_ERROR' },
  'silent after text': { weight: 5, after: true },
} as const satisfies Record<string, Consequence>;

export type Fate = keyof typeof fates;

const mostly = <T>(percent: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: percent, arbitrary: usual }, { weight: 100 - percent, arbitrary: other });
const sometimes = (after: fc.Arbitrary<number>) => mostly(90, fc.constant(null), after);

const turnPlan = fc.record({
  thinkMilliseconds: fc.integer({ min: 0, max: 1000 }),
  inNewConversation: mostly(85, fc.constant(false), fc.constant(true)),
  /** Of people in all scripts, with what PostgreSQL cannot hold now and then. */
  words: mostly(
    95,
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.constantFrom('a NUL \0 within', 'half a pair \ud83d within', '\u202eright to left'),
  ),
  readingMillisecondsPerChunk: mostly(96, fc.constant(null), fc.integer({ min: 5, max: 40 })),
  leavesAfterMilliseconds: sometimes(fc.integer({ min: 0, max: 1500 })),
  leavesAfterCharacters: sometimes(fc.integer({ min: 1, max: 400 })),
  triesAgain: fc.integer({ min: 0, max: 2 }),
});

const replyPlan = fc.record({
  fate: fc.oneof(
    ...Object.entries(fates).map(([name, { weight }]) => ({ weight, arbitrary: fc.constant(name as Fate) })),
  ),
  /** Well-formed pieces: a character is never split over two of them. */
  deltas: fc.array(
    mostly(
      99,
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.constantFrom('\0', '\u2028', '🙂', '\n\n['),
    ),
    { maxLength: 12 },
  ),
  pauseMilliseconds: fc.integer({ min: 0, max: 40 }),
  outputTokens: fc.integer({ min: 2, max: 4096 }),
  cacheReadTokens: fc.integer({ min: 0, max: 20_000 }),
  cacheCreateTokens: fc.integer({ min: 0, max: 20_000 }),
  stopReason: mostly(90, fc.constant('end_turn'), fc.constant('max_tokens')),
});

/** What a person does with a turn: the same for the same seed, whatever else happens in the run. */
export const planTurn = (seed: number, turn: number) => drawn(turnPlan, seed, turn);

/** What the provider does with the `attempt`th request for a turn. */
export const planReply = (seed: number, turn: number, attempt: number) => drawn(replyPlan, seed, turn, attempt);

/** All of `values`, in an order drawn from `seed`. */
export const shuffled = <T>(values: T[], seed: number): T[] =>
  drawn(fc.shuffledSubarray(values, { minLength: values.length }), seed);

function drawn<T>(arbitrary: fc.Arbitrary<T>, ...path: number[]): T {
  const seed = path.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e3779b1) ^ (mixed >>> 15), 0x51ed270b);
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (value === undefined) throw new Error('Nothing was drawn.');
  return value;
}
