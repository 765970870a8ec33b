import { type ContenderName, contenderNames, contenders } from '../contenders/contenders.ts';
import type { Samples } from '../measures/rounds.ts';
import { showSpread, spreadOf } from './spread.ts';

type Figure<T> = (samples: Samples<T>, name: ContenderName) => string;

/** A row for each contender: its label, and a cell for each figure. */
export function comparison<T>(samples: Samples<T>, figures: readonly Figure<T>[]): string[][] {
  return contenderNames.map((name) => [contenders[name].label, ...figures.map((figure) => figure(samples, name))]);
}

/** A figure as it is, over the rounds. */
export function absolute<T>(value: (sample: T) => number, digits: number): Figure<T> {
  return (samples, name) => showSpread(spreadOf(samples[name].map(value)), digits);
}

/** A figure as a multiple of the floor's in the same round. */
export function timesFloor<T>(value: (sample: T) => number, digits = 2): Figure<T> {
  return (samples, name) =>
    name === 'floor' ? '1' : showSpread(spreadOf(ratios(samples, value, name, 'floor')), digits);
}

/** The median over the rounds of one contender's figure as a multiple of another's in the same round. */
export function medianRatio<T>(
  samples: Samples<T>,
  value: (sample: T) => number,
  name: ContenderName,
  other: ContenderName,
): number {
  return spreadOf(ratios(samples, value, name, other)).median;
}

/** The median over the rounds of what one contender adds to the floor, in percent of what another adds in the same round. */
export function medianShareOfAdded<T>(
  samples: Samples<T>,
  value: (sample: T) => number,
  name: ContenderName,
  other: ContenderName,
): number {
  const added = (of: ContenderName, round: number) => value(samples[of][round] as T) - value(samples.floor[round] as T);
  return spreadOf(samples[name].map((_, round) => (added(name, round) / added(other, round)) * 100)).median;
}

export function median<T>(samples: Samples<T>, value: (sample: T) => number, name: ContenderName): number {
  return spreadOf(samples[name].map(value)).median;
}

function ratios<T>(samples: Samples<T>, value: (sample: T) => number, name: ContenderName, other: ContenderName) {
  return samples[name].map((sample, round) => value(sample) / value(samples[other][round] as T));
}
