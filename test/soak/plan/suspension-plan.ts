import fc from 'fast-check';

/** Whom an operator suspends, once so many turns have begun and the person is in the middle of a reply. */
export type PlannedSuspension = { atTurn: number; member: number };

/** One in so many of all people. */
const onePersonOf = 60;

/** Not before everybody has begun, nor so late that they ask nothing more; as parts of the run. */
const moments = { first: 0.15, last: 0.85 };

/** Drawn from `seed` among `members` signed-in people, of whom the first `hurried` are left to the budgets. */
export function planSuspensions(
  { seed, turns, users }: { seed: number; turns: number; users: number },
  members: number,
  hurried: number,
): PlannedSuspension[] {
  const numbers = Array.from({ length: Math.max(0, members - hurried) }, (_, index) => index + hurried);
  const count = Math.min(numbers.length, Math.ceil(users / onePersonOf));
  const some = fc.shuffledSubarray(numbers, { minLength: count, maxLength: count });
  const [drawn = []] = fc.sample(some, { seed, numRuns: 1 });
  const step = (moments.last - moments.first) / count;
  return drawn.map((member, index) => ({
    member,
    atTurn: Math.ceil((moments.first + index * step) * turns),
  }));
}
