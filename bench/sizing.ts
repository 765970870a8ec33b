import process from 'node:process';
import { parseArgs } from 'node:util';

/*
 * Says what so many people need. docs/performance.md, Sizing, says how to read it.
 */

/** What one process, one turn and one person take. Who measures anew puts the figures here. */
export const measured = {
  /** ms of processor time of a turn in the service, its reply 200 pieces of 20 characters, 20 ms apart (`npm run bench`) */
  processMillisecondsOfTurn: 14.9,
  /** MiB of a process that has nothing to do */
  mebibytesOfProcess: 125,
  /** KiB of each reply that is under way (`npm run bench`) */
  kibibytesOfStream: 73,
  /** ms of processor time of a turn in PostgreSQL: its session, its opening and its close */
  databaseMillisecondsOfTurn: 1.3,
  /** bytes of the log of a turn, which each standby is sent */
  logBytesOfTurn: 12_100,
  /** bytes of two messages as they are stored, about 60 and 350 words, with their entries in indexes */
  storedBytesOfTurn: 3_200,
  /** bytes of everything else of a person: user, identity, membership, engagement, session, two conversations, trail */
  storedBytesOfPerson: 7_100,
  /** µs of processor time of a turn in Redis: its limit */
  redisMicrosecondsOfTurn: 24,
  /** bytes in Redis for somebody who has asked in the last minute */
  redisBytesOfPerson: 152,
};

/** How people use it, by the names of the options: what each is, and what is usual. */
const habits = {
  people: { about: 'people who have an account', usual: Number.NaN },
  active: { about: 'how many of 100 use it on a day', usual: 20 },
  turns: { about: 'questions that each of these asks on that day', usual: 8 },
  'busiest-hour': { about: 'how many of 100 turns of a day are in its busiest hour', usual: 20 },
  'reply-seconds': { about: 'how long a reply streams', usual: 20 },
};

type Habit = keyof typeof habits;
export type Use = Record<Habit, number>;

const names = Object.keys(habits) as Habit[];

/** What is planned with, and no measurement can say. */
export const planned = {
  /** Within the busiest hour, the busiest moments have so many times its average. */
  busiestMomentsOverHour: 2,
  /** The most that a processor is to be busy: an instance can then be lost, or replaced, and the others take its people. */
  busyShare: 0.5,
  /** One alone is away while it is replaced. */
  minInstances: 2,
  /** As the product ships. */
  connectionsOfInstance: 10,
  streamsOfInstance: 5_000,
  /** What a PostgreSQL has by default for everybody but superusers. */
  connectionsOfDatabase: 97,
  /** Cores of a large machine, for PostgreSQL; Redis uses one. */
  coresOfDatabase: 32,
  /** Beyond it, a backup, a restore or a new index of one table takes the better part of a day. */
  bytesOfTable: 1e12,
} as const;

/** What so many people need by the measured figures: but for a day's turns, in the busiest moments. */
export function estimate(use: Use) {
  const turnsPerDay = ((use.people * use.active) / 100) * use.turns;
  const turnsPerSecond = ((turnsPerDay * use['busiest-hour']) / 100 / 3600) * planned.busiestMomentsOverHour;
  const streams = Math.ceil(turnsPerSecond * use['reply-seconds']);
  const cores = coresFor(turnsPerSecond, measured.processMillisecondsOfTurn);
  const instances = Math.max(planned.minInstances, Math.ceil(cores), Math.ceil(streams / planned.streamsOfInstance));
  const kibibytesOfStreams = (streams / instances) * measured.kibibytesOfStream;
  return {
    turnsPerDay,
    turnsPerSecond,
    streams,
    instances,
    cores,
    mebibytesOfInstance: measured.mebibytesOfProcess + kibibytesOfStreams / 1024,
    connections: instances * planned.connectionsOfInstance,
    databaseCores: coresFor(turnsPerSecond, measured.databaseMillisecondsOfTurn),
    databaseBytesOfYear: turnsPerDay * 365 * measured.storedBytesOfTurn + use.people * measured.storedBytesOfPerson,
    logBytesPerSecond: turnsPerSecond * measured.logBytesOfTurn,
    // A key lives for a minute. At most everybody asks once in it.
    redisBytes: Math.min(turnsPerSecond * 60, use.people) * measured.redisBytesOfPerson,
    redisCores: coresFor(turnsPerSecond, measured.redisMicrosecondsOfTurn / 1000),
  };
}

/** Cores that are as busy as planned. */
function coresFor(turnsPerSecond: number, milliseconds: number): number {
  return (turnsPerSecond * milliseconds) / 1000 / planned.busyShare;
}

/** What gives way, in the order in which it does when the people become more, and what then. */
export function bounds(use: Use) {
  const ofOne = estimate({ ...use, people: 1 });
  const whoCause = (turnsPerSecond: number) => Math.floor(turnsPerSecond / ofOne.turnsPerSecond);
  const turnsOfCores = (cores: number, milliseconds: number) => (cores * planned.busyShare * 1000) / milliseconds;
  const turnsOfInstances = (count: number) => turnsOfCores(count, measured.processMillisecondsOfTurn);
  const { minInstances, connectionsOfDatabase, connectionsOfInstance, bytesOfTable, coresOfDatabase } = planned;
  const bytesOfYear = ofOne.turnsPerDay * 365 * measured.storedBytesOfTurn;
  const all: [what: string, people: number, remedy: string][] = [
    [`${minInstances} instances of one core`, whoCause(turnsOfInstances(minInstances)), 'more instances'],
    [
      `${connectionsOfDatabase} connections of a default PostgreSQL, ${connectionsOfInstance} for each instance`,
      whoCause(turnsOfInstances(Math.floor(connectionsOfDatabase / connectionsOfInstance))),
      'a smaller DATABASE_POOL, or PgBouncer',
    ],
    [
      `a chat_messages of ${bytesOfTable / 1e12} TB after a year`,
      Math.floor(bytesOfTable / bytesOfYear),
      'RETAIN_DAYS, or a part for each month',
    ],
    ['one Redis', whoCause(turnsOfCores(1, measured.redisMicrosecondsOfTurn / 1000)), 'Redis Cluster'],
    [
      `one PostgreSQL of ${coresOfDatabase} cores`,
      whoCause(turnsOfCores(coresOfDatabase, measured.databaseMillisecondsOfTurn)),
      'a second installation with a database of its own',
    ],
  ];
  return all.toSorted(([, one], [, other]) => one - other);
}

/** @throws Error in a sentence, where the arguments are none of these */
export function readOptions(argv: readonly string[]): Use {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...argv], options });
  const read = (name: Habit): [Habit, number] => {
    const value = Number(values[name] ?? habits[name].usual);
    const max = name === 'active' || name === 'busiest-hour' ? 100 : Number.MAX_SAFE_INTEGER;
    if (value > 0 && value <= max) return [name, value];
    throw new Error(`--${name} wants a number above 0${max === 100 ? ' and up to 100' : ''}.`);
  };
  return Object.fromEntries(names.map(read)) as Use;
}

/** What is printed of an estimate, line by line. */
export function printed(use: Use): string {
  const of = estimate(use);
  const rows: [what: string, figure: string][] = [
    ['people', whole(use.people)],
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
  const figures = rows.map(([what, figure]) => `${what.padEnd(32)}${figure.padStart(12)}`);
  const lines = bounds(use).map(([what, people, remedy]) => {
    const state = people < use.people ? 'passed' : 'holds ';
    return `${state}  ${short(people)} people: ${what}; then ${remedy}`;
  });
  return `${[...figures, '', 'What gives way, and what then:', ...lines].join('\n')}\n`;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Two digits that count: more would be more than is known. */
function short(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 4 });
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.max(0, Math.min(Math.floor(Math.log10(value) / 3), units.length - 1));
  return `${short(value / 1000 ** power)} ${units[power]}`;
}

function usage(): string {
  const lines = names.map((name) => {
    const { about, usual } = habits[name];
    return `  ${`--${name} n`.padEnd(20)}${about}${Number.isNaN(usual) ? '' : ` (${usual})`}`;
  });
  return ['npm run sizing -- --people 1000000', '', ...lines, ''].join('\n');
}

if (import.meta.main) {
  const argv = process.argv.slice(2);
  try {
    process.stdout.write(argv.includes('--help') ? usage() : printed(readOptions(argv)));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
    process.exitCode = 2;
  }
}
