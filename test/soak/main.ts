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
import { type Outage, violations } from './invariants.ts';
import { closeConnections, createPerson, type Records, type Seat } from './people.ts';
import { startProduct } from './product.ts';
import { type Outcome, outcomes, now, startProvider } from './provider.ts';

/*
 * People chat with the product, and in each round one of its parts is taken away from it. Then queries account for every turn.
 * It needs PostgreSQL and Redis on the machine, and exits with 1 where anything is missing, doubled, misplaced or left behind.
 */

const { values } = parseArgs({
  options: {
    /** Each kind of fault comes once in 15 of them. */
    rounds: { type: 'string', default: '15' },
    people: { type: 'string', default: '100' },
    seed: { type: 'string', default: '20261121' },
  },
});
const [rounds, people, seed] = [Number(values.rounds), Number(values.people), Number(values.seed)];
const visitors = Math.round(people * 0.3);
const peopleInOrganization = 4;
/** Of each person in a round; the fault comes when the first is under way. */
const turnsOfRound = 5;
/** One person asks in so many tabs at once, and uses up their budget. */
const tabsOfTheHurried = 10;
const budgets = { user: 22_000 * turnsOfRound * 7, organization: 22_000 * turnsOfRound * 20 };
const awayMilliseconds = 2_500;
/** What was late because of the database is stored by then. A process that is killed before would lose it. */
const lateWritesMilliseconds = 5_000;

const print = (line: string) => void process.stdout.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
print(`${rounds} rounds with ${people} people, seed ${seed}`);
const found = await soak();
for (const line of found) print(`- ${line}`);
print(found.length === 0 ? 'Everything is accounted for.' : `${found.length} invariants are broken.`);
// Countdowns of people who were asked to wait for an hour are still running.
process.stdout.write('', () => process.exit(found.length === 0 ? 0 : 1));

/** Runs the product on real parts, and gives everything that is against an invariant. */
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

  // A login that owns nothing serves, as the operations guide has it; the migrations grant it what it needs.
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
    // Counted, and never used up.
    TOKENS_PER_DAY_DEMO: '1000000000',
  });
  opened.defer(product.kill);

  const records: Records = { turns: [], attempts: [] };
  const outages: Outage[] = [];
  const visitor = { cookie: null, userId: null, orgId: null, marks: [] };
  const seats: Seat[] = [
    // The first few visitors come from one office, the others each from a place of their own.
    ...Array.from({ length: visitors }, (_, number) => ({
      ...visitor,
      name: number < 3 ? 'office' : `home-${number}`,
    })),
    ...Array.from({ length: tabsOfTheHurried - 1 }, () => members.slice(0, 1)).flat(),
    ...members,
  ];
  const chatting = seats.map((seat) => createPerson(seat, { ...records, url: product.url, seed }));
  const before = await product.sample();
  const heaps: number[] = [];

  const away = () => delay(awayMilliseconds);
  async function without(take: () => unknown, giveBack: () => unknown, meanwhile?: () => Promise<unknown>) {
    await take();
    await meanwhile?.();
    await giveBack();
  }
  async function override(outcome: Outcome) {
    provider.override(outcome);
    await away();
    provider.override(null);
  }
  /** Every kind of fault, named by the parts that it takes away. Each resolves when the parts work again. */
  const faults: [string, () => Promise<unknown>][] = [
    // These come first: afterwards the memory of one and the same process is measured.
    ['product stopped', () => without(product.stop, product.start)],
    ['product killed', () => without(product.kill, product.start)],
    ['database crashed', () => without(postgres.crash, postgres.start)],
    ['redis frozen', () => without(redis.freeze, redis.thaw, away)],
    ['transactions of the database killed', () => postgres.killTransactions(awayMilliseconds)],
    ['provider overloaded', () => override(outcomes['refused with 529'])],
    ['database frozen', () => postgres.freeze().then((thaw) => away().then(thaw))],
    ['redis away', () => without(redis.stop, redis.start, away)],
    ['database away', () => without(postgres.crash, postgres.start, away)],
    ['provider failing', () => override(outcomes['refused with 500'])],
    [
      'database and redis away',
      () => without(postgres.stop, postgres.start, () => without(redis.stop, redis.start, away)),
    ],
    ['redis restarted', () => without(redis.stop, redis.start)],
    ['database restarted', () => without(postgres.stop, postgres.start)],
    ['provider cutting replies', () => override(outcomes['cut after text'])],
    ['provider rejecting the key', () => override(outcomes['refused with 401'])],
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
    const first = round * seats.length * turnsOfRound;
    const talk = chatting.map(async (takeTurn, seat) => {
      for (let turn = 1; turn <= turnsOfRound; turn += 1) await takeTurn(first + seat * turnsOfRound + turn);
    });
    await Promise.all([...talk, inject(kind, fault)]);
    await delay(kind.includes('database') ? lateWritesMilliseconds : 500);
    heaps.push((await product.sample()).heapBytes);
    if (kind.startsWith('product')) heaps.length = 0;
  }

  let held = await product.sample();
  const left = () => Object.entries(held.resources).filter(([type, count]) => count > (before.resources[type] ?? 0));
  for (let tries = 0; left().length > 0 && tries < 60; tries += 1) {
    await delay(500);
    held = await product.sample();
  }
  // Before the product is stopped: then nobody has a connection left.
  outages.push(...product.localCounting());
  const broken = await violations(postgres.url, { ...records, replies: provider.replies, outages, budgets });
  await product.stop();
  const middle = Math.min(...heaps.slice(-10, -5));
  const hasGrown = Math.min(...heaps.slice(-5)) > middle + Math.max(0.05 * middle, 2 * 2 ** 20);
  return [
    ...broken,
    ...(await product.problems()),
    ...(heaps.length >= 10 && hasGrown ? ['the heap has grown'] : []),
    ...left().map(([type, count]) => `${count} of ${type} are left`),
  ];
}

/** People who have signed in and been onboarded, several in each organization, each with an engagement and a session. */
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
