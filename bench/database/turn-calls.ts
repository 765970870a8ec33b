import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from '../../server/database/database.ts';
import { createId } from '../../server/database/ids.ts';
import type { Orm } from '../../server/database/orm.ts';
import { idOf, inWords, type Population, scopeOf } from '../../test/support/population.ts';
import { quantile, showSpread, spreadOf } from '../report/spread.ts';
import type { Goal, Table } from '../report/table.ts';

const question = 'What would you look at next, and which of our hypotheses does it touch? '.repeat(5);
const answer = 'The waiting time before the second step is twice that before the first. '.repeat(30);
const budgets = { user: 1_000_000_000, organization: 1_000_000_000 };

/** What a request asks of the database, and the goal: below a millisecond at the median. */
const calls: Record<string, (database: Database, person: number) => Promise<unknown>> = {
  find_session: ({ sessionStore }, person) => promisify(sessionStore.get.bind(sessionStore))(idOf('session', person)),
  'open_turn, in a conversation': ({ turns }, person) => turns.open(asked(person)),
  'open_turn, a new conversation': ({ turns }, person) => turns.open({ ...asked(person), conversationId: null }),
  close_turn: ({ turns }, person) => turns.close(answered(person)),
  open_budgeted_turn: ({ turns }, person) =>
    turns.openWithinBudgets(asked(person), { id: createId(), tokens: 5000, budgets }),
  close_budgeted_turn: ({ turns }, person) =>
    turns.close(answered(person), { id: idOf('use', person, 1), tokens: 5000 }),
};

function asked(person: number) {
  const conversationId = idOf('conversation', person, 2);
  return { ...scopeOf(person), conversationId, content: question, requestId: createId() };
}

function answered(person: number) {
  return {
    ...scopeOf(person),
    id: createId(),
    conversationId: idOf('conversation', person, 2),
    content: answer,
    requestId: createId(),
    ...{ inputTokens: 120, outputTokens: 460, cacheReadTokens: 9000, cacheCreateTokens: 800 },
    ...{ stopReason: 'end_turn', model: 'claude-sonnet-5-5', promptVersion: '1.0.0' },
  };
}

type Sample = { milliseconds: number[]; cpuMilliseconds: number; walBytes: number };
type Samples = ReadonlyMap<string, Sample[]>;

/** Calls each function so many times in each round, and gives what the rounds after the first have taken. */
export async function measureCalls(options: {
  orm: Orm;
  database: Database;
  population: Population;
  rounds: number;
  callsOfRound: number;
  say: (progress: string) => void;
}): Promise<Samples> {
  const { orm, database, population, rounds, callsOfRound, say } = options;
  const samples = new Map<string, Sample[]>(Object.keys(calls).map((name) => [name, []]));
  const person = shuffledPeople(population.people);
  for (let round = 0; round <= rounds; round += 1) {
    say(`database: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const [name, call] of Object.entries(calls)) {
      const sample = await take(orm, callsOfRound, () => call(database, person()));
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

/** Calls so many times; once more where the pool has replaced its connection meanwhile, as it does each minute. */
async function take(orm: Orm, count: number, call: () => Promise<unknown>): Promise<Sample> {
  for (;;) {
    const before = await serverState(orm);
    const milliseconds: number[] = [];
    for (let called = 0; called < count; called += 1) {
      const startedAt = performance.now();
      await call();
      milliseconds.push(performance.now() - startedAt);
    }
    const after = await serverState(orm);
    if (after.pid === before.pid) {
      return {
        milliseconds,
        cpuMilliseconds: (after.cpuMilliseconds - before.cpuMilliseconds) / count,
        walBytes: (after.wal - before.wal) / count,
      };
    }
  }
}

/** Everybody once, in an order that jumps about, and then again: pages are asked for as many people at once ask for them. */
function shuffledPeople(people: number): () => number {
  // Any prime that is none of the factors of their number.
  const step = 7_919;
  let place = 0;
  return () => {
    place = (place + step) % people;
    return place + 1;
  };
}

/** The processor time that the server's process of the one connection has had, and how far the log has been written. */
async function serverState(orm: Orm): Promise<{ pid: number; cpuMilliseconds: number; wal: number }> {
  const [row] = await orm.em
    .fork()
    .execute<{ pid: number; wal: number }[]>(
      `select pg_backend_pid() as pid, (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as wal`,
    );
  if (row === undefined) throw new Error('The server does not answer.');
  const [, afterName = ''] = readFileSync(`/proc/${row.pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = afterName.split(' ').slice(11, 13).map(Number);
  // The kernel counts in hundredths of a second.
  return { ...row, cpuMilliseconds: (user + system) * 10 };
}

export function callsTable(population: Population, samples: Samples): Table {
  const medians = (name: string) => (samples.get(name) ?? []).map(({ milliseconds }) => quantile(milliseconds, 0.5));
  const goals = ['find_session', 'open_turn, in a conversation', 'open_turn, a new conversation', 'close_turn'].map(
    (name): Goal => ({ what: `${name}, median`, value: spreadOf(medians(name)).median, most: 1, unit: ' ms' }),
  );
  return {
    heading: `What a turn asks of a database with ${inWords(population)}`,
    about:
      'One call after the other on one connection, each for another person: the way to the server and back is in it. Processor time ' +
      'is that of the server’s process, and the log is what a standby is sent. Nothing waits for a disk.',
    columns: ['', 'median, ms', 'p99, ms', 'processor time, ms', 'log, bytes'],
    rows: [...samples].map(([name, taken]) => [
      name,
      showSpread(spreadOf(medians(name)), 2),
      showSpread(spreadOf(taken.map(({ milliseconds }) => quantile(milliseconds, 0.99))), 1),
      showSpread(spreadOf(taken.map(({ cpuMilliseconds }) => cpuMilliseconds)), 2),
      showSpread(spreadOf(taken.map(({ walBytes }) => walBytes)), 0),
    ]),
    goals,
  };
}
