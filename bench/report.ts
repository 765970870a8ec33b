import { arch, cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';
import { type ContenderName, contenderNames, contenders } from './rig.ts';

/** One sample per contender and round, without the warm-up. A contender that was not selected has none. */
export type Samples<T> = Record<ContenderName, T[]>;

/** A column of a table. `digits` is the number of digits after the decimal point. */
export type Figure<T> = { column: string; value: (sample: T) => number; digits: number };

export type Goal = { label: string; value: number; unit: string; max: number };

export type Measured<T> = {
  heading: string;
  /** The method of the measurement, in one or two sentences. */
  about: string;
  samples: Samples<T>;
  /** The first figure is also shown relative to each of the `references`. */
  figures: readonly [Figure<T>, ...Figure<T>[]];
  goals: readonly Goal[];
};

/** Returns the median of the ratios of two contenders, each taken within one round. */
export function medianRatio<T>(
  samples: Samples<T>,
  { value }: Figure<T>,
  name: ContenderName,
  other: ContenderName,
): number {
  return quantile(ratios(samples, value, name, other), 0.5);
}

/** Returns the median of the differences of two contenders, each taken within one round. */
export function medianDifference<T>(
  samples: Samples<T>,
  { value }: Figure<T>,
  name: ContenderName,
  other: ContenderName,
): number {
  const differences = samples[name].map((sample, round) => value(sample) - value(samples[other][round] as T));
  return quantile(differences, 0.5);
}

function ratios<T>(samples: Samples<T>, value: (sample: T) => number, name: ContenderName, other: ContenderName) {
  return samples[name].map((sample, round) => value(sample) / value(samples[other][round] as T));
}

/** Returns the quantile `p` (0 to 1), interpolated linearly between the two nearest samples. */
export function quantile(samples: readonly number[], p: number): number {
  const sorted = Float64Array.from(samples).sort();
  const position = p * (sorted.length - 1);
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('There are no samples.');
  return below + (above - below) * (position - Math.floor(position));
}

/** Formats samples as `median (min–max)`. */
function formatSpread(samples: readonly number[], digits: number): string {
  const format = (p: number) =>
    quantile(samples, p).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${format(0.5)} (${format(0)}–${format(1)})`;
}

const references: readonly ContenderName[] = ['floor', 'conventional'];

export function formatSection<T>({ heading, about, samples, figures, goals }: Measured<T>): string {
  const measured = contenderNames.filter((name) => samples[name].length > 0);
  const others = references.filter((name) => measured.includes(name));
  const rows = measured.map((name) => [
    contenders[name].label,
    ...others.map((other) => (name === other ? '1' : formatSpread(ratios(samples, figures[0].value, name, other), 2))),
    ...figures.map(({ value, digits }) => formatSpread(samples[name].map(value), digits)),
  ]);
  const columns = [
    '',
    ...others.map((other) => `times the ${contenders[other].label}`),
    ...figures.map(({ column }) => column),
  ];
  const table = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${[`### ${heading}`, '', about, '', ...table, '', ...goals.map(formatGoal)].join('\n')}\n`;
}

function formatGoal({ label, value, unit, max }: Goal): string {
  const measured = Number(value.toPrecision(3)).toLocaleString('en');
  return `- ${label}: ${measured}${unit} (goal: at most ${max}), ${value <= max ? 'met' : 'missed'}`;
}

export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? arch();
  const machine = `${processor}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, Node ${process.version}.`;
}
