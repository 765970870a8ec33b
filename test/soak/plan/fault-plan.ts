import fc from 'fast-check';
import { type FaultKind, faultKinds } from '../faults/fault-kinds.ts';

/** Something that happens once so many turns have begun: a fault, a moment later, or a breath in which memory is looked at. */
export type PlannedEvent = { atTurn: number } & (
  | { type: 'fault'; kind: FaultKind; afterMilliseconds: number }
  | { type: 'breath' }
);

/** Up to here the process may be replaced; afterwards one process is watched, whose memory can be compared. */
const restartsUntil = 1 / 3;

/** How long turns have been running when a fault meets them. */
const moment = fc.integer({ min: 300, max: 1_200 });

/** Where memory is looked at, as parts of the run: as often in its second third as in its last. */
const breaths = [0.36, 0.44, 0.52, 0.6, 0.7, 0.78, 0.86, 0.94];

/**
 * When which fault strikes: spread evenly over the turns, in an order drawn from `seed`, those that replace the process
 * in the first third. With few faults the ones at the top of the list are taken.
 */
export function planEvents({ seed, turns, faults }: { seed: number; turns: number; faults: number }): PlannedEvent[] {
  const slots = Array.from({ length: faults }, (_, index) => (index + 1) / (faults + 1));
  const early = slots.filter((slot) => slot <= restartsUntil).length;
  const kinds = takeKinds(faults, early);
  const restarts = kinds.filter(replacesProcess);
  const [order = []] = fc.sample(shuffled(kinds.filter((kind) => !replacesProcess(kind))), { seed, numRuns: 1 });
  const [places = []] = fc.sample(shuffled(Array.from({ length: early }, (_, index) => index)), { seed, numRuns: 1 });
  const [moments = []] = fc.sample(fc.array(moment, { minLength: faults, maxLength: faults }), { seed, numRuns: 1 });
  const restartPlaces = new Set(places.slice(0, restarts.length));

  const events = slots.map((slot, index): PlannedEvent => {
    const kind = (restartPlaces.has(index) ? restarts : order).shift();
    if (kind === undefined) throw new Error('There are fewer faults than places for them.');
    return { type: 'fault', kind, atTurn: Math.round(slot * turns), afterMilliseconds: moments[index] ?? 0 };
  });
  const looks = breaths.map((part): PlannedEvent => ({ type: 'breath', atTurn: Math.round(part * turns) }));
  return [...events, ...looks].toSorted((one, other) => one.atTurn - other.atTurn);
}

/** The first `count` kinds of the list, repeated where it is too short, with no more restarts than there is room for. */
function takeKinds(count: number, mostRestarts: number): FaultKind[] {
  const rounds = Array.from({ length: Math.ceil(count / faultKinds.length) + 1 }, () => faultKinds).flat();
  const restarts = rounds.flatMap((kind, index) => (replacesProcess(kind) ? [index] : []));
  const surplus = new Set(restarts.slice(mostRestarts));
  return rounds.filter((_, index) => !surplus.has(index)).slice(0, count);
}

function replacesProcess(kind: FaultKind): boolean {
  return kind === 'product stopped' || kind === 'product killed';
}

function shuffled<T>(values: T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray(values, { minLength: values.length, maxLength: values.length });
}
