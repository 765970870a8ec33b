import { type Bound, bounds, type Estimate, estimate, type Use } from './estimate.ts';

/** What is printed of an estimate, line by line. */
export function printed(use: Use): string {
  const of = estimate(use);
  const rows = [['people', whole(use.people)], ...rowsOf(of)];
  const [widest, widestFigure] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    ([what = '', figure = '']) => `${what.padEnd(widest ?? 0)}  ${figure.padStart(widestFigure ?? 0)}`,
  );
  const { people: _people, ...habits } = use;
  return `${[...lines, '', 'What gives way, and what then:', ...bounds(habits).map((bound) => lineOf(bound, use.people))].join('\n')}\n`;
}

/** What the estimate says, each figure with its unit. */
export function rowsOf(of: Estimate): [what: string, figure: string][] {
  return [
    ['turns a day', whole(of.turnsPerDay)],
    ['turns a second, busiest moments', short(of.turnsPerSecond)],
    ['replies under way then', whole(of.streams)],
    ['instances', whole(of.instances)],
    ['cores for the service', short(of.cores)],
    ['memory of each instance', `${whole(of.mebibytesOfInstance)} MiB`],
    ['connections to PostgreSQL', whole(of.connections)],
    ['cores for PostgreSQL', short(of.databaseCores)],
    ['database after a year', bytes(of.databaseBytesOfYear)],
    ['log of PostgreSQL', `${bytes(of.logBytesPerSecond)}/s`],
    ['memory of Redis', bytes(of.redisBytes)],
    ['cores for Redis', short(of.redisCores)],
    ['requests a minute to the model', whole(of.turnsPerSecond * 60)],
  ];
}

function lineOf({ what, people, remedy }: Bound, served: number): string {
  return `${people < served ? 'passed' : 'holds '}  ${short(people)} people: ${what}; then ${remedy}`;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Two digits that count: more would be more than is known. */
export function short(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 4 });
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.max(0, Math.min(Math.floor(Math.log10(value) / 3), units.length - 1));
  return `${short(value / 1000 ** power)} ${units[power]}`;
}
