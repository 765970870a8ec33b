import fc from 'fast-check';
import { fateNames, fates } from './fates.ts';

/** Text of people in all scripts, with what PostgreSQL cannot hold now and then. */
const words = fc.string({ unit: 'grapheme', maxLength: 120 });
const awkward = fc.constantFrom('a NUL \0 within', 'half a pair \ud83d within', '\u202eright to left', '\n\n[CODE: x]');
const anyText = fc.oneof({ weight: 95, arbitrary: words }, { weight: 5, arbitrary: awkward });

/** What a person does with a turn. */
const turnPlan = fc.record({
  thinkMilliseconds: fc.integer({ min: 0, max: 600 }),
  asking: fc.oneof(
    { weight: 78, arbitrary: fc.constant('next' as const) },
    { weight: 14, arbitrary: fc.constant('in a new conversation' as const) },
    { weight: 8, arbitrary: fc.constant('in the place of the last' as const) },
  ),
  words: anyText,
  reading: fc.oneof(
    { weight: 96, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: fc.record({ millisecondsPerChunk: fc.integer({ min: 5, max: 40 }) }) },
  ),
  leaving: fc.oneof(
    { weight: 84, arbitrary: fc.constant(null) },
    {
      weight: 8,
      arbitrary: fc.record({
        how: fc.constantFrom('stop' as const, 'leave' as const),
        afterMilliseconds: fc.integer({ min: 0, max: 1500 }),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        how: fc.constantFrom('stop' as const, 'leave' as const),
        afterCharacters: fc.integer({ min: 1, max: 400 }),
      }),
    },
  ),
  triesAgain: fc.integer({ min: 0, max: 2 }),
  patienceMilliseconds: fc.integer({ min: 400, max: 1500 }),
});

export type TurnPlan = ReturnType<typeof planTurn>;

/** The plan of one turn: the same for the same seed, whatever else happens in the run. */
export function planTurn(seed: number, turn: number) {
  return drawn(turnPlan, seed, turn);
}

/** A well-formed piece of a reply: a character is never split over two of them. */
const delta = fc.oneof(
  { weight: 99, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('\0', '\u2028', '🙂', '\n\n[') },
);

const replyPlan = fc.record({
  fate: fc.oneof(...fateNames.map((name) => ({ weight: fates[name].weight, arbitrary: fc.constant(name) }))),
  deltas: fc.oneof(
    { weight: 98, arbitrary: fc.array(delta, { minLength: 1, maxLength: 12 }) },
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
  ),
  pauseMilliseconds: fc.integer({ min: 0, max: 40 }),
  outputTokens: fc.integer({ min: 2, max: 4096 }),
  cacheReadTokens: fc.integer({ min: 0, max: 20_000 }),
  cacheCreateTokens: fc.integer({ min: 0, max: 20_000 }),
  stopReason: fc.oneof(
    { weight: 9, arbitrary: fc.constant('end_turn') },
    { weight: 1, arbitrary: fc.constant('max_tokens') },
  ),
});

export type ReplyPlan = ReturnType<typeof planReply>;

/** What the provider does with the `attempt`th request for a turn. */
export function planReply(seed: number, turn: number, attempt: number) {
  return drawn(replyPlan, seed, turn, attempt);
}

/** What a slow reader gets instead of the planned deltas, so that there is something to be slow at. */
export function longDeltas(): string[] {
  return Array.from({ length: 60 }, (_, index) => `${index} ${'and so on, '.repeat(200)}`);
}

function drawn<T>(arbitrary: fc.Arbitrary<T>, ...path: number[]): T {
  const seed = path.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e3779b1) ^ (mixed >>> 15), 0x51ed270b);
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (value === undefined) throw new Error('Nothing was drawn.');
  return value;
}
