import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { openAdministration, openDatabase } from '../../server/database/database.ts';
import { tenantRole } from '../../server/database/tenant.ts';
import { createMembers } from '../support/people.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { startRedis } from '../support/redis-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { findViolations, type Outage } from './invariants.ts';
import { closeConnections, createPerson, type Records, type Seat } from './people.ts';
import { startProduct } from './product.ts';
import { now, type Outcome, outcomes, startProvider } from './provider.ts';

/*
 * Simulates users who chat with the product, while the product or a dependency fails in each round. Then queries account for
 * every turn. Needs PostgreSQL and Redis on the machine, and exits with 1 if a message is missing, duplicated or
 * misplaced, or if a resource leaks.
 */

const { values } = parseArgs({
  options: {
    /** Fifteen rounds inject each fault once. */
    rounds: { type: 'string', default: '15' },
    people: { type: 'string', default: '100' },
    seed: { type: 'string', default: '20261121' },
  },
});
const [rounds, people, seed] = [Number(values.rounds), Number(values.people), Number(values.seed)];
if (!(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(people) && people > 0 && Number.isInteger(seed)))
  throw new Error('--rounds and --people must be positive integers, and --seed an integer.');
const visitors = Math.round(people * 0.3);
const peopleInOrganization = 4;
/** The turns per tab and round. The fault begins a second after the start of the round. */
const turnsPerRound = 5;
/** The number of tabs in which one person sends turns at once, which exhausts their limit. */
const parallelTabs = 10;
const budgets = { user: 22_000 * turnsPerRound * 7, organization: 22_000 * turnsPerRound * 20 };
const outageMilliseconds = 2_500;
/** Long enough for late writes to be stored. A process that is killed earlier would lose them. */
const lateWritesMilliseconds = 5_000;

const print = (line: string) => void process.stdout.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
print(`${rounds} rounds with ${people} people, seed ${seed}`);
const violated = await soak();
for (const line of violated) print(`- ${line}`);
print(violated.length === 0 ? 'All invariants hold.' : `${violated.length} invariants are violated.`);
// Exits even if a timer or a connection is still open.
process.stdout.write('', () => process.exit(violated.length === 0 ? 0 : 1));

async function soak(): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(directory.remove);
  const postgres = await startPostgres(directory.path);
  opened.defer(postgres.stop);
  const redis = await startRedis(directory.path);
  opened.defer(redis.stop);
  const provider = await startProvider(seed);
  opened.defer(provider.close);
  opened.defer(closeConnections);

  // As the operations guide recommends, the product serves with a login that owns nothing. The migrations grant this
  // login its privileges.
  await postgres.query(`create role ${tenantRole} nologin nosuperuser nobypassrls`);
  await postgres.query('create role soak_serving login noinherit nosuperuser nobypassrls');
  await postgres.query(`grant ${tenantRole} to soak_serving`);
  const urls = { url: postgres.url.replace('postgres@', 'soak_serving@'), ownerUrl: postgres.url };
  const members = await createSeats(urls);
  const product = await startProduct({
    DATABASE_URL: urls.url,
    DATABASE_MIGRATION_URL: urls.ownerUrl,
    REDIS_URL: redis.url,
    ANTHROPIC_BASE_URL: provider.url,
    TOKENS_PER_DAY_USER: `${budgets.user}`,
    TOKENS_PER_DAY_ORGANIZATION: `${budgets.organization}`,
    // Counted but never exhausted.
    TOKENS_PER_DAY_DEMO: '1000000000',
  });
  opened.defer(product.kill);

  const records: Records = { turns: [], attempts: [] };
  const outages: Outage[] = [];
  const visitor = { cookie: null, userId: null, orgId: null, marks: [] };
  const seats: Seat[] = [
    // The first visitors share the address of an office, the others have their own.
    ...Array.from({ length: visitors }, (_, number) => ({
      ...visitor,
      name: number < 3 ? 'office' : `home-${number}`,
    })),
    ...Array.from({ length: parallelTabs - 1 }, () => members.slice(0, 1)).flat(),
    ...members,
  ];
  const chatting = seats.map((seat) => createPerson(seat, { ...records, url: product.url, seed }));
  const before = await product.sample();
  const heaps: number[] = [];

  const outageDelay = () => delay(outageMilliseconds);
  async function without(stop: () => unknown, restore: () => unknown, meanwhile?: () => Promise<unknown>) {
    await stop();
    await meanwhile?.();
    await restore();
  }
  async function failProvider(outcome: Outcome) {
    provider.override(outcome);
    await outageDelay();
    provider.override(null);
  }
  /** The faults, named after the parts that fail. Each resolves when the parts work again. */
  const faults: [string, () => Promise<unknown>][] = [
    // Restarts of the product come first, so that the heap of a single process is measured afterwards.
    ['product stopped', () => without(product.stop, product.start)],
    ['product killed', () => without(product.kill, product.start)],
    ['database crashed', () => without(postgres.crash, postgres.start)],
    ['redis frozen', () => without(redis.freeze, redis.thaw, outageDelay)],
    ['transactions of the database killed', () => postgres.killTransactions(outageMilliseconds)],
    ['provider overloaded', () => failProvider(outcomes['refused with 529'])],
    ['database frozen', () => postgres.freeze().then((resume) => outageDelay().then(resume))],
    ['redis down', () => without(redis.stop, redis.start, outageDelay)],
    ['database down', () => without(postgres.crash, postgres.start, outageDelay)],
    ['provider failing', () => failProvider(outcomes['refused with 500'])],
    [
      'database and redis down',
      () => without(postgres.stop, postgres.start, () => without(redis.stop, redis.start, outageDelay)),
    ],
    ['redis restarted', () => without(redis.stop, redis.start)],
    ['database restarted', () => without(postgres.stop, postgres.start)],
    ['provider cutting replies', () => failProvider(outcomes['cut after text'])],
    ['provider rejecting the key', () => failProvider(outcomes['refused with 401'])],
  ];

  async function inject(kind: string, fault: () => Promise<unknown>): Promise<void> {
    await delay(1_000);
    const since = now();
    await fault();
    const parts = [kind, 'database', 'redis'].filter((part) => kind.includes(part));
    outages.push(...parts.map((part) => ({ part, since, until: now() })));
  }

  const plan = Array.from({ length: Math.ceil(rounds / faults.length) }, () => faults).flat();
  for (const [round, [kind, fault]] of plan.slice(0, rounds).entries()) {
    print(`round ${round + 1}: ${kind}`);
    const first = round * seats.length * turnsPerRound;
    const turns = chatting.map(async (takeTurn, seat) => {
      for (let turn = 1; turn <= turnsPerRound; turn += 1) await takeTurn(first + seat * turnsPerRound + turn);
    });
    await Promise.all([...turns, inject(kind, fault)]);
    await delay(kind.includes('database') ? lateWritesMilliseconds : 500);
    heaps.push((await product.sample()).heapBytes);
    if (kind.startsWith('product')) heaps.length = 0;
  }

  let sample = await product.sample();
  const leaked = () =>
    Object.entries(sample.resources).filter(([type, count]) => count > (before.resources[type] ?? 0));
  for (let tries = 0; leaked().length > 0 && tries < 60; tries += 1) {
    await delay(500);
    sample = await product.sample();
  }
  // `findViolations` must run before the product is stopped, because one rule examines its open connections.
  outages.push(...product.localCounting());
  const broken = await findViolations(postgres.url, { ...records, replies: provider.replies, outages, budgets });
  await product.stop();
  const middle = Math.min(...heaps.slice(-10, -5));
  const hasGrown = Math.min(...heaps.slice(-5)) > middle + Math.max(0.05 * middle, 2 * 2 ** 20);
  return [
    ...broken,
    ...(await product.problems()),
    ...(heaps.length >= 10 && hasGrown ? ['the heap has grown'] : []),
    ...leaked().map(([type, count]) => `${count} of ${type} have leaked`),
  ];
}

/** Creates onboarded users, several per organization, each with an engagement and a session. */
async function createSeats(urls: { url: string; ownerUrl: string }) {
  await using opened = new AsyncDisposableStack();
  const [settings, logger] = [{ kind: 'postgresql', ...urls } as const, pino({ level: 'silent' })];
  const database = await openDatabase(settings, logger);
  opened.defer(database.close);
  const { administration, close } = await openAdministration(settings, logger, 'operator of the soak');
  opened.defer(close);
  const organizationMark = (number: number) => `[organization ${Math.floor(number / peopleInOrganization)}]`;
  const members = await createMembers(database, people - visitors, (number) => ({
    company: { name: `Castings ${organizationMark(number)}`, industry: 'Metal casting' },
    profile: { role: `[person ${number}]` },
    engagement: { hypotheses: [], unknowns: [] },
  }));
  for (const [number, member] of members.entries()) {
    const { orgId } = members[number - (number % peopleInOrganization)] ?? member;
    if (orgId !== member.orgId) await administration.moveUser(member.userId, orgId);
    const hypotheses = [{ statement: `What [person ${number}] believes`, status: 'open' as const, evidence: [] }];
    await administration.setEngagementState(member.userId, { week: 3, hypotheses, unknowns: [], findings: [] });
    member.orgId = orgId;
  }
  return members.map((member, number) => {
    return { ...member, name: member.userId, marks: [organizationMark(number), `[person ${number}]`] };
  });
}
