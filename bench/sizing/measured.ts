export type Figure = {
  value: number;
  unit: string;
  what: string /** the part of `npm run bench` that measures it */;
  from: string;
};

/**
 * What one process, one turn and one person take. Who measures anew puts the figures here; docs/sizing.md has the same ones,
 * and a test compares them.
 */
export const measured = {
  processMillisecondsOfTurn: {
    value: 14.9,
    unit: 'ms',
    what: 'processor time of a turn in the service, its reply 200 pieces of 20 characters, 20 ms apart',
    from: 'paced',
  },
  mebibytesOfProcess: { value: 125, unit: 'MiB', what: 'memory of a process that has nothing to do', from: 'streams' },
  kibibytesOfStream: { value: 73, unit: 'KiB', what: 'memory of each reply that is under way', from: 'memory' },
  databaseMillisecondsOfTurn: {
    value: 1.3,
    unit: 'ms',
    what: 'processor time of a turn in PostgreSQL: its session, its opening and its close',
    from: 'database',
  },
  logBytesOfTurn: { value: 12_100, unit: 'bytes', what: 'log of a turn, which each standby is sent', from: 'database' },
  storedBytesOfTurn: {
    value: 3_200,
    unit: 'bytes',
    what: 'two messages as they are stored, about 60 and 350 words, with their entries in indexes',
    from: 'database',
  },
  storedBytesOfPerson: {
    value: 7_100,
    unit: 'bytes',
    what: 'everything else of a person: user, identity, membership, engagement, session, two conversations, trail',
    from: 'database',
  },
  redisMicrosecondsOfTurn: {
    value: 24,
    unit: 'µs',
    what: 'processor time of a turn in Redis: its limit',
    from: 'limits',
  },
  redisBytesOfPerson: {
    value: 152,
    unit: 'bytes',
    what: 'memory in Redis for somebody who has asked in the last minute',
    from: 'limits',
  },
} satisfies Record<string, Figure>;
