import process from 'node:process';
import { parseArgs } from 'node:util';

/*
 * Estimates the hardware required for a given number of users. docs/performance.md, Sizing, explains the output.
 */

/** Measured figures. Replace them when you measure again. */
export const measured = {
  /** CPU time of the service per turn, with a reply of 200 deltas of 20 characters at 20 ms (`npm run bench`). */
  serviceMillisecondsPerTurn: 19.5,
  mebibytesPerProcess: 125,
  /** Memory per reply in progress (`npm run bench`). */
  kibibytesPerStream: 67,
  /** CPU time of PostgreSQL per turn: `find_session`, `open_turn` and `close_turn`. */
  databaseMillisecondsPerTurn: 1.3,
  /** Write-ahead log per turn, which is sent to each standby. */
  walBytesPerTurn: 12_100,
  /** The two stored messages of a turn, about 60 and 350 words, with their index entries. */
  storedBytesPerTurn: 3_200,
  /** The other rows per person: user, identity, membership, engagement, session, two conversations, audit trail. */
  storedBytesPerPerson: 7_100,
  /** CPU time of Redis per turn, for the rate limit. */
  redisMicrosecondsPerTurn: 24,
  /** Memory of Redis per person with a turn in the last minute. */
  redisBytesPerPerson: 152,
};

/** The command-line options. An option whose default is NaN is required. */
const usageOptions = {
  people: { about: 'people who have an account', default: Number.NaN },
  active: { about: 'percentage of these who use the service on a day', default: 20 },
  turns: { about: 'questions of each active person on that day', default: 8 },
  'busiest-hour': { about: 'percentage of the turns of a day in its busiest hour', default: 20 },
  'reply-seconds': { about: 'duration of a streamed reply', default: 20 },
};

type UsageOption = keyof typeof usageOptions;
export type Usage = Record<UsageOption, number>;

const names = Object.keys(usageOptions) as UsageOption[];

/** Assumptions and defaults, which are not measured. */
export const assumptions = {
  /** The load of the busiest moments, as a multiple of the average of the busiest hour. */
  peakFactor: 2,
  /** The target load of a core, so that the other instances can take over the load of one that is lost or replaced. */
  targetLoad: 0.5,
  /** The minimum number of instances: a single instance is unavailable while it is replaced. */
  minInstances: 2,
  /** The default of DATABASE_POOL. */
  connectionsPerInstance: 10,
  /** The default of MAX_STREAMS. */
  streamsPerInstance: 5_000,
  /** PostgreSQL's default maximum, without the connections that are reserved for superusers. */
  databaseConnections: 97,
  /** The cores of a large database server. Redis uses only one core. */
  databaseCores: 32,
  /** The largest practical size of a table: with a larger one, a backup, a restore or a new index takes most of a day. */
  maxTableBytes: 1e12,
} as const;

/** Estimates the resources for a usage. All figures are for the busiest moments, except those per day and year. */
export function estimate(usage: Usage) {
  const turnsPerDay = ((usage.people * usage.active) / 100) * usage.turns;
  const turnsPerSecond = ((turnsPerDay * usage['busiest-hour']) / 100 / 3600) * assumptions.peakFactor;
  const streams = Math.ceil(turnsPerSecond * usage['reply-seconds']);
  const cores = coresFor(turnsPerSecond, measured.serviceMillisecondsPerTurn);
  const instances = Math.max(
    assumptions.minInstances,
    Math.ceil(cores),
    Math.ceil(streams / assumptions.streamsPerInstance),
  );
  const streamKibibytes = (streams / instances) * measured.kibibytesPerStream;
  return {
    turnsPerDay,
    turnsPerSecond,
    streams,
    instances,
    cores,
    mebibytesPerInstance: measured.mebibytesPerProcess + streamKibibytes / 1024,
    connections: instances * assumptions.connectionsPerInstance,
    databaseCores: coresFor(turnsPerSecond, measured.databaseMillisecondsPerTurn),
    databaseBytesAfterYear:
      turnsPerDay * 365 * measured.storedBytesPerTurn + usage.people * measured.storedBytesPerPerson,
    walBytesPerSecond: turnsPerSecond * measured.walBytesPerTurn,
    // Each person has at most one key, which expires after a minute without an accepted request.
    redisBytes: Math.min(turnsPerSecond * 60, usage.people) * measured.redisBytesPerPerson,
    redisCores: coresFor(turnsPerSecond, measured.redisMicrosecondsPerTurn / 1000),
  };
}

function coresFor(turnsPerSecond: number, milliseconds: number): number {
  return (turnsPerSecond * milliseconds) / 1000 / assumptions.targetLoad;
}

/** Returns the bottlenecks in the order in which growth reaches them, with the number of people and the remedy. */
export function bottlenecks(usage: Usage) {
  const perPerson = estimate({ ...usage, people: 1 });
  const peopleFor = (turnsPerSecond: number) => Math.floor(turnsPerSecond / perPerson.turnsPerSecond);
  const turnsForCores = (cores: number, milliseconds: number) => (cores * assumptions.targetLoad * 1000) / milliseconds;
  const turnsForInstances = (count: number) => turnsForCores(count, measured.serviceMillisecondsPerTurn);
  const { minInstances, databaseConnections, connectionsPerInstance, maxTableBytes, databaseCores } = assumptions;
  const bytesPerYear = perPerson.turnsPerDay * 365 * measured.storedBytesPerTurn;
  const rows: [what: string, people: number, remedy: string][] = [
    [`${minInstances} instances of one core`, peopleFor(turnsForInstances(minInstances)), 'more instances'],
    [
      `${databaseConnections} connections of PostgreSQL by default, ${connectionsPerInstance} per instance`,
      peopleFor(turnsForInstances(Math.floor(databaseConnections / connectionsPerInstance))),
      'a smaller DATABASE_POOL, or PgBouncer',
    ],
    [
      `the table chat_messages with ${maxTableBytes / 1e12} TB after a year`,
      Math.floor(maxTableBytes / bytesPerYear),
      'RETAIN_DAYS, or monthly partitions',
    ],
    ['one Redis', peopleFor(turnsForCores(1, measured.redisMicrosecondsPerTurn / 1000)), 'Redis Cluster'],
    [
      `one PostgreSQL of ${databaseCores} cores`,
      peopleFor(turnsForCores(databaseCores, measured.databaseMillisecondsPerTurn)),
      'a second installation with its own database',
    ],
  ];
  return rows.toSorted(([, one], [, other]) => one - other);
}

/** @throws Error whose message can be printed, if an argument is not valid */
export function readOptions(argv: readonly string[]): Usage {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...argv], options });
  const read = (name: UsageOption): [UsageOption, number] => {
    const value = Number(values[name] ?? usageOptions[name].default);
    const max = name === 'active' || name === 'busiest-hour' ? 100 : Number.MAX_SAFE_INTEGER;
    if (value > 0 && value <= max) return [name, value];
    throw new Error(`--${name} must be a number above 0${max === 100 ? ' and at most 100' : ''}.`);
  };
  return Object.fromEntries(names.map(read)) as Usage;
}

export function formatEstimate(usage: Usage): string {
  const need = estimate(usage);
  const rows: [what: string, figure: string][] = [
    ['people', formatWhole(usage.people)],
    ['turns a day', formatWhole(need.turnsPerDay)],
    ['turns a second, busiest moments', formatRounded(need.turnsPerSecond)],
    ['replies in progress then', formatWhole(need.streams)],
    ['instances', formatWhole(need.instances)],
    ['cores for the service', formatRounded(need.cores)],
    ['memory of each instance', `${formatWhole(need.mebibytesPerInstance)} MiB`],
    ['connections to PostgreSQL', formatWhole(need.connections)],
    ['cores for PostgreSQL', formatRounded(need.databaseCores)],
    ['database after a year', formatBytes(need.databaseBytesAfterYear)],
    ['write-ahead log', `${formatBytes(need.walBytesPerSecond)}/s`],
    ['memory of Redis', formatBytes(need.redisBytes)],
    ['cores for Redis', formatRounded(need.redisCores)],
    ['requests a minute to the model', formatWhole(need.turnsPerSecond * 60)],
  ];
  const figures = rows.map(([label, figure]) => `${label.padEnd(32)}${figure.padStart(12)}`);
  const lines = bottlenecks(usage).map(([what, people, remedy]) => {
    const state = people < usage.people ? 'exceeded' : 'ok      ';
    return `${state}  ${formatRounded(people)} people: ${what}. Remedy: ${remedy}`;
  });
  return `${[...figures, '', 'Bottlenecks, in order:', ...lines].join('\n')}\n`;
}

const formatWhole = (value: number) => Math.round(value).toLocaleString('en');

/** Rounds to two significant digits, because the estimates are no more accurate. */
function formatRounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 4 });
}

function formatBytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.max(0, Math.min(Math.floor(Math.log10(value) / 3), units.length - 1));
  return `${formatRounded(value / 1000 ** power)} ${units[power]}`;
}

function helpText(): string {
  const lines = names.map((name) => {
    const { about, default: preset } = usageOptions[name];
    return `  ${`--${name} n`.padEnd(20)}${about}${Number.isNaN(preset) ? '' : ` (default: ${preset})`}`;
  });
  return ['npm run sizing -- --people 1000000', '', ...lines, ''].join('\n');
}

if (import.meta.main) {
  const argv = process.argv.slice(2);
  try {
    process.stdout.write(argv.includes('--help') ? helpText() : formatEstimate(readOptions(argv)));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${helpText()}`);
    process.exitCode = 2;
  }
}
