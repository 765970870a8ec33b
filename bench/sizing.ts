import process from 'node:process';
import { parseArgs } from 'node:util';

/*
 * Says what so many people need. docs/operations.md, Sizing says how to read it.
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

/** How people use it. */
type Use = {
  people: number;
  /** the part of them that uses it on a day, from 0 to 1 */
  activeShare: number;
  /** questions that each of these asks on that day */
  turnsOfDay: number;
  /** the part of a day's turns that its busiest hour has, from 0 to 1 */
  busiestHourShare: number;
  /** how long a reply streams */
  replySeconds: number;
};

export const usualUse: Omit<Use, 'people'> = {
  activeShare: 0.2,
  turnsOfDay: 8,
  busiestHourShare: 0.2,
  replySeconds: 20,
};

/** What is planned with, and no measurement can say. */
export const planned = {
  /** Within the busiest hour, the busiest moments have so many times its average. */
  busiestMomentsOverHour: 2,
  /** The most that a processor is to be busy: an instance can then be lost, or replaced, and the others take its people. */
  busyShare: 0.5,
  /** One alone is away while it is replaced. */
  fewestInstances: 2,
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
  const turnsPerDay = use.people * use.activeShare * use.turnsOfDay;
  const turnsPerSecond = ((turnsPerDay * use.busiestHourShare) / 3600) * planned.busiestMomentsOverHour;
  const streams = Math.ceil(turnsPerSecond * use.replySeconds);
  const cores = coresFor(turnsPerSecond, measured.processMillisecondsOfTurn);
  const instances = Math.max(planned.fewestInstances, Math.ceil(cores), Math.ceil(streams / planned.streamsOfInstance));
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

/** How many people so many instances serve, one core each. */
export function peopleOf(instances: number, use: Omit<Use, 'people'>): number {
  const turnsPerSecond = (instances * planned.busyShare * 1000) / measured.processMillisecondsOfTurn;
  return peopleFor(turnsPerSecond, use);
}

/** How many people cause so many turns a second in the busiest moments. */
function peopleFor(turnsPerSecond: number, use: Omit<Use, 'people'>): number {
  const { turnsPerSecond: ofOne } = estimate({ ...use, people: 1 });
  return Math.floor(turnsPerSecond / ofOne);
}

/** Cores that are as busy as planned. */
function coresFor(turnsPerSecond: number, milliseconds: number): number {
  return (turnsPerSecond * milliseconds) / 1000 / planned.busyShare;
}

/** What gives way, in the order in which it does when the people become more, and what then. */
export function bounds(use: Omit<Use, 'people'>) {
  const databaseTurns = (planned.coresOfDatabase * planned.busyShare * 1000) / measured.databaseMillisecondsOfTurn;
  const redisTurns = (planned.busyShare * 1e6) / measured.redisMicrosecondsOfTurn;
  const bytesOfYear = use.activeShare * use.turnsOfDay * 365 * measured.storedBytesOfTurn;
  const all: [what: string, people: number, remedy: string][] = [
    [`${planned.fewestInstances} instances of one core`, peopleOf(planned.fewestInstances, use), 'more instances'],
    [
      `${planned.connectionsOfDatabase} connections of a default PostgreSQL, ${planned.connectionsOfInstance} for each instance`,
      peopleOf(Math.floor(planned.connectionsOfDatabase / planned.connectionsOfInstance), use),
      'a smaller DATABASE_POOL, or PgBouncer',
    ],
    [
      `a chat_messages of ${planned.bytesOfTable / 1e12} TB after a year`,
      Math.floor(planned.bytesOfTable / bytesOfYear),
      'RETAIN_DAYS, or a part for each month',
    ],
    ['one Redis', peopleFor(redisTurns, use), 'Redis Cluster'],
    [
      `one PostgreSQL of ${planned.coresOfDatabase} cores`,
      peopleFor(databaseTurns, use),
      'a second installation with a database of its own',
    ],
  ];
  return all
    .map(([what, people, remedy]) => ({ what, people, remedy }))
    .toSorted((one, other) => one.people - other.people);
}

const usage = `npm run sizing -- --people 1000000

  --people n          people who have an account
  --instances n       in place of --people: as many people as so many instances serve
  --active n          how many of 100 use it on a day (${usualUse.activeShare * 100})
  --turns n           questions that each of these asks on that day (${usualUse.turnsOfDay})
  --busiest-hour n    how many of 100 turns of a day are in its busiest hour (${usualUse.busiestHourShare * 100})
  --reply-seconds n   how long a reply streams (${usualUse.replySeconds})
  --help

docs/operations.md, Sizing says what the figures are made of.
`;

/** @throws Error in a sentence, where the arguments are none of these; null where they ask for help */
export function readOptions(argv: readonly string[]): Use | null {
  const names = ['people', 'instances', 'active', 'turns', 'busiest-hour', 'reply-seconds'] as const;
  const { values }: { values: Record<string, string | boolean | undefined> } = parseArgs({
    args: [...argv],
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;

  /** The number that an option has, above 0 and at most this. */
  function number(name: (typeof names)[number], usual: number, most = Infinity): number {
    const value = Number(values[name] ?? usual);
    if (!(value > 0) || !Number.isFinite(value)) throw new Error(`--${name} wants a number above 0.`);
    if (value > most) throw new Error(`--${name} wants a number from 0 to ${most}.`);
    return value;
  }

  const habits = {
    activeShare: number('active', usualUse.activeShare * 100, 100) / 100,
    turnsOfDay: number('turns', usualUse.turnsOfDay),
    busiestHourShare: number('busiest-hour', usualUse.busiestHourShare * 100, 100) / 100,
    replySeconds: number('reply-seconds', usualUse.replySeconds),
  };
  const isOfPeople = 'people' in values;
  if (isOfPeople === 'instances' in values) throw new Error('Say --people or --instances, and not both.');
  return { ...habits, people: isOfPeople ? number('people', 1) : peopleOf(number('instances', 1), habits) };
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
  const [widest, widestFigure] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column as 0 | 1].length)));
  const figures = rows.map(([what, figure]) => `${what.padEnd(widest ?? 0)}  ${figure.padStart(widestFigure ?? 0)}`);
  const lines = bounds(use).map(
    ({ what, people, remedy }) =>
      `${people < use.people ? 'passed' : 'holds '}  ${short(people)} people: ${what}; then ${remedy}`,
  );
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

if (import.meta.main) {
  try {
    const use = readOptions(process.argv.slice(2));
    process.stdout.write(use === null ? usage : printed(use));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 2;
  }
}
