import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { tenantRole } from '../../server/database/tenant.ts';
import { splitAppendedError } from '../../shared/errors.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { startRedis } from '../support/redis-process.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { createFaults, replacesProcess } from './faults.ts';
import { type Absence, fingerprints, type Seen, type Suspension, violations } from './invariants.ts';
import { now, startProduct, startProvider } from './parts.ts';
import { type Attempt, closeConnections, createMembers, createPace, createPeople, type Member } from './people.ts';
import { shuffled } from './plan.ts';
import type { Held } from './probe.ts';

/*
 * People chat with the product while its parts are taken away from it. Then queries account for every turn.
 * `npm run soak -- --turns 150` is a short run. It needs PostgreSQL and Redis on the machine, and exits with 1 where
 * anything is missing, doubled, misplaced or left behind.
 */

const longestMinutes = 40;
const visitorsPart = 0.3;
/** Two people ask in so many tabs at once, and use up their budget. */
const tabsOfTheHurried = 20;
/** The process may be replaced up to here. Its memory is looked at later, as often in the second third as in the last. */
const restartsUntil = 1 / 3;
const breaths = [0.36, 0.44, 0.52, 0.6, 0.7, 0.78, 0.86, 0.94];
/** A shorter run is over before everything has been used once. */
const turnsToJudgeHeap = 1_000;
/** What the provider says of a turn on average, half of what a plan draws from, and how many turns' worth a budget is. */
const tokensOfTurn = 22_000;
const budgetTurns = { user: 4, organization: 7 };
/** What the product itself calls a loss. */
const losses = /this row is lost|an error that nobody caught|stopping failed/;
const contents = /\[(?:question|reply) \d/;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '10000' },
    users: { type: 'string' },
    seed: { type: 'string', default: '20261121' },
    faults: { type: 'string' },
  },
});
const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, Math.floor(value)));
const turns = Number(values.turns);
const seed = Number(values.seed);
const users = Number(values.users ?? within(turns / 5, 10, 300));
const faultCount = Number(values.faults ?? within(turns / 37, 1, 27));

const say = (line: string) => void process.stdout.write(`${line}\n`);
const stopped = new Promise<never>((_, reject) => {
  const stop = (why: string) => reject(new Error(`The run was stopped: ${why}`));
  setTimeout(stop, longestMinutes * 60_000, `it took more than ${longestMinutes} minutes`).unref();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
});

say(`${turns} turns by ${users} people under ${faultCount} faults, seed ${seed}`);
try {
  const found = await soak();
  for (const line of found) say(`- ${line}`);
  say(found.length === 0 ? 'Everything is accounted for.' : `${found.length} invariants are broken.`);
  process.exitCode = found.length === 0 ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? `${error.stack}\n${error.cause ?? ''}` : String(error));
  process.exitCode = 1;
}
// Countdowns of people who were asked to wait for an hour are still running.
process.stdout.write('', () => process.exit());

/** Runs the product on real parts, and gives everything that is against an invariant. */
async function soak(): Promise<string[]> {
  await using parts = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  parts.defer(directory.remove);
  const postgres = await startPostgres(directory.path);
  parts.defer(postgres.stop);
  const redis = await startRedis(directory.path);
  parts.defer(redis.stop);
  const provider = await startProvider(seed);
  parts.defer(provider.close);

  // A login that owns nothing serves, as the operations guide has it; the migrations grant it what it needs.
  await postgres.query(`create role ${tenantRole} nologin nosuperuser nobypassrls`);
  await postgres.query('create role soak_serving login noinherit nosuperuser nobypassrls');
  await postgres.query(`grant ${tenantRole} to soak_serving`);
  const urls = { url: postgres.url.replace('postgres@', 'soak_serving@'), ownerUrl: postgres.url };
  const visitors = Math.round(users * visitorsPart);
  const members = await createMembers(urls, users - visitors);
  const turnsOfOne = Math.max(1, turns / users);
  const budgetOf = (share: number) => Math.round(share * turnsOfOne * tokensOfTurn);
  const budgets = { user: budgetOf(budgetTurns.user), organization: budgetOf(budgetTurns.organization) };
  const product = await startProduct({
    DATABASE_URL: urls.url,
    DATABASE_MIGRATION_URL: urls.ownerUrl,
    REDIS_URL: redis.url,
    ANTHROPIC_BASE_URL: provider.url,
    TOKENS_PER_DAY_USER: `${budgets.user}`,
    TOKENS_PER_DAY_ORGANIZATION: `${budgets.organization}`,
    // Counted, and never used up.
    TOKENS_PER_DAY_DEMO: '1000000000',
  });
  parts.defer(product.close);
  parts.defer(closeConnections);

  const hurried = users >= 50 ? members.slice(0, 2) : [];
  const toSuspend = shuffled(members.slice(hurried.length), seed).slice(0, Math.ceil(users / 60));
  const idsToSuspend = toSuspend.map(({ asker }) => asker.userId);
  const tablesBefore = await fingerprints(postgres.url, idsToSuspend);
  const absences: Absence[] = [];
  const suspensions: Suspension[] = [];
  const records = { questions: [], attempts: [] };
  const pace = createPace(turns);
  const people = createPeople({ url: product.url, seed, pace, ...records });
  const faults = createFaults({ postgres, redis, provider, product, absences });
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  const samples: (Held & { progress: number })[] = [];
  const before = await product.sample();
  stalls.enable();

  async function direct(): Promise<void> {
    const events = [
      ...planFaults(faults.kinds),
      ...breaths.map((at) => ({ at, kind: null })),
      // The last ones may begin.
      { at: 1, kind: null },
    ].toSorted((one, other) => one.at - other.at);
    pace.allow(Math.round((events[0]?.at ?? 1) * turns));
    for (const [index, { at, kind }] of events.entries()) {
      const next = events[index + 1]?.at ?? 1;
      await pace.reached(Math.round(at * turns));
      if (kind !== null) {
        // Half of what follows begins with the fault, so that it meets replies at every stage; the rest when it is over.
        pace.allow(Math.ceil(((at + next) / 2) * turns));
        say(`${Math.round(at * turns)} turns: ${kind}`);
        await delay(700);
        await faults.inject(kind);
      } else if (at < 1) {
        await pace.close();
        await delay(500);
        samples.push({ ...(await product.sample()), progress: at });
        pace.open();
      }
      pace.allow(Math.round(next * turns));
    }
  }

  const over = Promise.withResolvers<'over'>();

  /** `npm run admin -- suspend-user` in the middle of a reply; again where the database did not take it. */
  async function suspend({ asker: { userId }, mark }: Member, number: number): Promise<void> {
    await pace.reached(Math.ceil((0.15 + (0.7 * number) / toSuspend.length) * turns));
    if ((await Promise.race([provider.linger(mark), over.promise])) === 'over') return;
    const env = { PATH: process.env.PATH, DATABASE_URL: urls.url, DATABASE_MIGRATION_URL: urls.ownerUrl };
    const command = ['server/admin/main.ts', 'suspend-user', userId];
    for (const tried_at = now(); ; await delay(250)) {
      const options = { cwd: root, env, timeout: 20_000 };
      const isDone = await promisify(execFile)(process.execPath, command, options).then(
        () => true,
        () => false,
      );
      if (isDone) return void suspensions.push({ user_id: userId, tried_at, done_at: now() });
    }
  }

  const chatting = Promise.all([
    direct(),
    // The first few visitors come from one office, the others each from a place of their own.
    ...Array.from({ length: visitors }, (_, number) => people.visitor(number < 3 ? 'office' : `home-${number}`)),
    ...hurried.flatMap((member) => Array.from({ length: tabsOfTheHurried - 1 }, () => people.member(member))),
    ...members.map(people.member),
  ]).then(() => over.resolve('over'));
  await Promise.race([stopped, Promise.all([chatting, ...toSuspend.map(suspend)])]);
  stalls.disable();

  const left = (held: Held) =>
    Object.entries(held.resources).filter(([type, count]) => count > (before.resources[type] ?? 0));
  let after = await product.sample();
  for (let tries = 0; left(after).length > 0 && tries < 60; tries += 1) {
    await delay(500);
    after = await product.sample();
  }
  // Before the product is stopped: then nobody has a connection left.
  const stallMilliseconds =
    Math.max(...[...samples, after].map((held) => held.longestStallMilliseconds)) + stalls.max / 1e6;
  const seen: Seen = { ...records, replies: provider.replies, absences, suspensions, budgets, stallMilliseconds };
  const found = await violations(postgres.url, seen);
  await product.stop();
  const tablesAfter = await fingerprints(postgres.url, idsToSuspend);

  for (const line of report(seen)) say(line);
  say(`longest stalls of the event loops: ${stallMilliseconds.toFixed(0)} ms in all`);
  const second = median(samples.filter(({ progress }) => progress < 2 / 3));
  const last = median(samples.filter(({ progress }) => progress > 2 / 3));
  const heap = [before.heapUsedBytes, second, last, after.heapUsedBytes].map(
    (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`,
  );
  say(`heap before, in the second third, in the last, after: ${heap.join(', ')}`);

  if (turns >= turnsToJudgeHeap && last > second + Math.max(0.05 * second, 2 * 2 ** 20))
    found.push('the heap has grown');
  for (const [type, count] of left(after)) found.push(`${count} of ${type} are left`);
  for (const table of Object.keys(tablesBefore))
    if (tablesAfter[table] !== tablesBefore[table]) found.push(`the table ${table} has changed`);
  for (const { killed, code, exitedAt } of product.lives)
    if (exitedAt === null || (!killed && code !== 0)) found.push(`a process ended with ${code}`);
  for (const line of product.logLines) {
    if (losses.test(line)) found.push(`the log says: ${line.slice(0, 300)}`);
    if (contents.test(line)) found.push('a line of the log repeats what people or the provider said');
  }
  return found;
}

/** Spread evenly over the turns, in an order drawn from the seed; those that replace the process in the first third. */
function planFaults(kinds: readonly string[]): { at: number; kind: string }[] {
  const places = Array.from({ length: faultCount }, (_, index) => (index + 1) / (faultCount + 1));
  const early = places.filter((at) => at <= restartsUntil).length;
  const all = places.map((_, index) => kinds[index % kinds.length] ?? '');
  const restarts = all.filter(replacesProcess).slice(0, early);
  const others = shuffled(
    all.filter((kind) => !replacesProcess(kind)),
    seed,
  );
  const first = shuffled([...restarts, ...others.splice(0, early - restarts.length)], seed);
  return [...first, ...others].map((kind, index) => ({ at: places[index] ?? 1, kind }));
}

function report({ questions, attempts, replies, suspensions }: Seen): string[] {
  const isLive = new Set(questions.filter(({ asker }) => asker.userId !== null).map(({ turn }) => turn));
  const ends = Map.groupBy(attempts, (one) => `${isLive.has(one.turn) ? 'live' : 'demo'} ${endOf(one)}`);
  return [
    `${questions.length} turns, ${attempts.length} attempts, ${replies.length} requests to the provider, ${suspensions.length} people suspended`,
    ...[...ends]
      .map(([end, { length }]) => `${String(length).padStart(7)}  ${end}`)
      .sort()
      .reverse(),
  ];
}

function endOf({ status, ending, body }: Attempt): string {
  if (ending !== 'whole') return `${ending} ${status === null ? 'before an answer' : 'during the answer'}`;
  if (status !== 200) return `${status} ${/^[A-Z_]+/.exec(body)?.[0]}`;
  return splitAppendedError(body).code === undefined ? '200' : '200 with an error line';
}

function median(samples: readonly Held[]): number {
  const sorted = samples.map(({ heapUsedBytes }) => heapUsedBytes).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
