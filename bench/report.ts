import { arch, cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';
import { type ContenderName, contenderNames, contenders } from './rig.ts';

/** One sample of each contender in every counted round. */
export type Samples<T> = Record<ContenderName, T[]>;

/** A column of a table: `value` of a sample, over the rounds, with so many digits after the point. */
export type Figure<T> = { column: string; value: (sample: T) => number; digits: number };

/** A figure that the product wants to keep: at most so much. */
export type Goal = { what: string; value: number; unit: string; most: number };

export type Measured<T> = {
  heading: string;
  /** how it was measured, in a sentence or two */
  about: string;
  samples: Samples<T>;
  /** The first is shown as a multiple of the floor's too. */
  figures: readonly [Figure<T>, ...Figure<T>[]];
  goals: readonly Goal[];
};

/** The median over the rounds of one contender's figure as a multiple of another's in the same round. */
export function medianRatio<T>(
  samples: Samples<T>,
  { value }: Figure<T>,
  name: ContenderName,
  other: ContenderName,
): number {
  return quantile(ratios(samples, value, name, other), 0.5);
}

/** The median over the rounds of how much more one contender's figure is than another's in the same round. */
export function medianDifference<T>(
  samples: Samples<T>,
  { value }: Figure<T>,
  name: ContenderName,
  other: ContenderName,
): number {
  const more = samples[name].map((sample, round) => value(sample) - value(samples[other][round] as T));
  return quantile(more, 0.5);
}

function ratios<T>(samples: Samples<T>, value: (sample: T) => number, name: ContenderName, other: ContenderName) {
  return samples[name].map((sample, round) => value(sample) / value(samples[other][round] as T));
}

/** The value under which this part (0 to 1) of `samples` lies, between the two nearest in proportion. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = Float64Array.from(samples).sort();
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('There are no samples.');
  return below + (above - below) * (place - Math.floor(place));
}

/** `median (least–most)`. */
function spread(samples: readonly number[], digits: number): string {
  const show = (part: number) =>
    quantile(samples, part).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(0.5)} (${show(0)}–${show(1)})`;
}

/** As a section of a Markdown document. */
export function printed<T>({ heading, about, samples, figures, goals }: Measured<T>): string {
  const rows = contenderNames.map((name) => [
    contenders[name].label,
    name === 'floor' ? '1' : spread(ratios(samples, figures[0].value, name, 'floor'), 2),
    ...figures.map(({ value, digits }) => spread(samples[name].map(value), digits)),
  ]);
  const columns = ['', 'times the floor', ...figures.map(({ column }) => column)];
  const table = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${[`### ${heading}`, '', about, '', ...table, '', ...goals.map(showGoal)].join('\n')}\n`;
}

function showGoal({ what, value, unit, most }: Goal): string {
  const measured = Number(value.toPrecision(3)).toLocaleString('en');
  return `- ${what}: ${measured}${unit} (goal: at most ${most}), ${value <= most ? 'kept' : 'missed'}`;
}

/** What the figures were taken on, in a sentence. */
export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? arch();
  const machine = `${processor}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, Node ${process.version}.`;
}
