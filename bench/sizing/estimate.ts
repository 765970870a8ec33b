import { measured } from './measured.ts';

/** How people use it. */
export type Use = {
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

export type Estimate = {
  turnsPerDay: number;
  /** of the busiest moments, as everything that follows */
  turnsPerSecond: number;
  streams: number;
  instances: number;
  /** of the service, so busy as planned */
  cores: number;
  mebibytesOfInstance: number;
  connections: number;
  databaseCores: number;
  databaseBytesOfYear: number;
  logBytesPerSecond: number;
  redisBytes: number;
  redisCores: number;
};

/** What so many people need, by the measured figures. */
export function estimate(use: Use): Estimate {
  const turnsPerDay = use.people * use.activeShare * use.turnsOfDay;
  const turnsPerSecond = ((turnsPerDay * use.busiestHourShare) / 3600) * planned.busiestMomentsOverHour;
  const streams = Math.ceil(turnsPerSecond * use.replySeconds);
  const cores = coresFor(turnsPerSecond, measured.processMillisecondsOfTurn.value);
  const instances = Math.max(planned.fewestInstances, Math.ceil(cores), Math.ceil(streams / planned.streamsOfInstance));
  const kibibytesOfStreams = (streams / instances) * measured.kibibytesOfStream.value;
  return {
    turnsPerDay,
    turnsPerSecond,
    streams,
    instances,
    cores,
    mebibytesOfInstance: measured.mebibytesOfProcess.value + kibibytesOfStreams / 1024,
    connections: instances * planned.connectionsOfInstance,
    databaseCores: coresFor(turnsPerSecond, measured.databaseMillisecondsOfTurn.value),
    databaseBytesOfYear:
      turnsPerDay * 365 * measured.storedBytesOfTurn.value + use.people * measured.storedBytesOfPerson.value,
    logBytesPerSecond: turnsPerSecond * measured.logBytesOfTurn.value,
    // A key lives for a minute. At most everybody asks once in it.
    redisBytes: Math.min(turnsPerSecond * 60, use.people) * measured.redisBytesOfPerson.value,
    redisCores: coresFor(turnsPerSecond, measured.redisMicrosecondsOfTurn.value / 1000),
  };
}

/** How many people so many instances serve, one core each. */
export function peopleOf(instances: number, use: Omit<Use, 'people'>): number {
  const turnsPerSecond = (instances * planned.busyShare * 1000) / measured.processMillisecondsOfTurn.value;
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

export type Bound = { what: string; people: number; remedy: string };

/** What gives way, in the order in which it does when the people become more, and what then. */
export function bounds(use: Omit<Use, 'people'>): Bound[] {
  const databaseTurns =
    (planned.coresOfDatabase * planned.busyShare * 1000) / measured.databaseMillisecondsOfTurn.value;
  const redisTurns = (planned.busyShare * 1e6) / measured.redisMicrosecondsOfTurn.value;
  const bytesOfYear = use.activeShare * use.turnsOfDay * 365 * measured.storedBytesOfTurn.value;
  const all: Bound[] = [
    {
      what: `${planned.fewestInstances} instances of one core`,
      people: peopleOf(planned.fewestInstances, use),
      remedy: 'more instances',
    },
    {
      what: `${planned.connectionsOfDatabase} connections of a default PostgreSQL, ${planned.connectionsOfInstance} for each instance`,
      people: peopleOf(Math.floor(planned.connectionsOfDatabase / planned.connectionsOfInstance), use),
      remedy: 'a smaller DATABASE_POOL, or PgBouncer',
    },
    {
      what: `a chat_messages of ${planned.bytesOfTable / 1e12} TB after a year`,
      people: Math.floor(planned.bytesOfTable / bytesOfYear),
      remedy: 'RETAIN_DAYS, or a part for each month',
    },
    { what: 'one Redis', people: peopleFor(redisTurns, use), remedy: 'Redis Cluster' },
    {
      what: `one PostgreSQL of ${planned.coresOfDatabase} cores`,
      people: peopleFor(databaseTurns, use),
      remedy: 'a second installation with a database of its own',
    },
  ];
  return all.toSorted((one, other) => one.people - other.people);
}
