import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../server/config/config.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { startRedis } from '../support/redis-process.ts';
import { createFaults } from './faults/faults.ts';
import type { Options } from './options.ts';
import { startProduct } from './parts/product.ts';
import { readAwayFromRedis } from './parts/product-log.ts';
import { startProvider } from './parts/provider.ts';
import { createServingLogin } from './parts/serving-login.ts';
import { readOtherRows, readStored, transactionsLeftOpen } from './parts/stored.ts';
import { createGate } from './people/gate.ts';
import { createPeople } from './people/people.ts';
import { createMembers } from './people/population.ts';
import { closeConnections } from './people/recording-fetch.ts';
import { createSuspensions } from './people/suspensions.ts';
import { createTurnSource } from './people/turn-source.ts';
import { planBudgets } from './plan/budgets.ts';
import { planEvents } from './plan/fault-plan.ts';
import { planSuspensions } from './plan/suspension-plan.ts';
import type { Attempt, Question, Records, Sample } from './records.ts';

/** How much of the people have no account, and how many tabs those have open who ask in all of them at once. */
const visitorsPart = 0.3;
const tabsOfTheHurried = 20;
const hurriedFrom = 50;

/** How long the product may take to let go of everything once nobody asks any more. */
const settleMilliseconds = 30_000;

/** What the product does after a reply has ended: it stores it, and gives connections back. */
const breathMilliseconds = 500;

/** Runs the product on real parts under `faults`, while people ask `turns` questions, and gives everything that was seen. */
export async function soak(options: Options, say: (line: string) => void, stopped: AbortSignal): Promise<Records> {
  const { turns, users, seed } = options;
  await using parts = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'advisory-chat-soak-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const postgres = await startPostgres(directory);
  parts.defer(postgres.stop);
  const redis = await startRedis(directory);
  parts.defer(redis.stop);
  const provider = await startProvider(seed);
  parts.defer(provider.close);

  const visitors = Math.round(users * visitorsPart);
  const urls = { url: await createServingLogin(postgres), ownerUrl: postgres.url };
  const members = await createMembers(urls, users - visitors);
  const budgets = planBudgets(options);
  const product = await startProduct({
    databaseUrl: urls.url,
    ownerUrl: urls.ownerUrl,
    redisUrl: redis.url,
    providerUrl: provider.url,
    budgets,
  });
  parts.defer(product.close);
  parts.defer(closeConnections);
  const hurried = users >= hurriedFrom ? members.slice(0, 2) : [];
  const toSuspend = planSuspensions(options, members.length, hurried.length);
  const idsToSuspend = toSuspend.flatMap(({ member }) => members[member]?.asker.userId ?? []);
  const otherRowsBefore = await readOtherRows(postgres, idsToSuspend);
  const stalls = monitorEventLoopDelay({ resolution: 10 });

  const questions: Question[] = [];
  const attempts: Attempt[] = [];
  const gate = createGate();
  const source = createTurnSource(turns);
  const people = createPeople({ url: product.url, seed, source, gate, questions, attempts });
  const faults = createFaults({ postgres, redis, provider, product });
  const between: Sample[] = [];
  const idleBefore = await product.sample(0);
  stalls.enable();

  async function direct(): Promise<void> {
    const events = planEvents(options);
    source.allow(events[0]?.atTurn ?? turns);
    for (const [index, event] of events.entries()) {
      const next = events[index + 1]?.atTurn ?? turns;
      await source.reached(event.atTurn);
      if (event.type === 'fault') {
        // Half of what follows begins with the fault, so that it meets replies at every stage; the rest when it is over.
        source.allow(Math.ceil((event.atTurn + next) / 2));
        await delay(event.afterMilliseconds);
        say(`${event.atTurn} turns: ${event.kind}`);
        await faults.inject(event.kind);
      } else {
        await gate.close();
        await delay(breathMilliseconds);
        between.push(await product.sample(source.progress));
        await gate.open();
      }
      source.allow(next);
    }
    source.allow(turns);
  }

  /** What the product holds once it has let go of everything, or of as much as it does in time. */
  async function settled(): Promise<Sample> {
    const deadline = performance.now() + settleMilliseconds;
    for (;;) {
      const sample = await product.sample(1);
      const types = Object.entries(sample.resources);
      const calm = types.every(([type, count]) => count <= (idleBefore.resources[type] ?? 0));
      if (calm || performance.now() > deadline) return sample;
      await delay(500);
    }
  }

  const everybody = [
    ...Array.from({ length: visitors }, (_, number) => people.visitor(placeOf(number))),
    ...hurried.flatMap((member) => Array.from({ length: tabsOfTheHurried - 1 }, () => people.member(member))),
    ...members.map((member) => people.member(member)),
  ];
  const over = new AbortController();
  const suspensions = createSuspensions({ urls, provider, source, over: over.signal });
  const chatting = Promise.all([direct(), ...everybody]).then(() => over.abort());
  await orStopped(stopped, Promise.all([chatting, suspensions.carryOut(toSuspend, members)]));
  stalls.disable();

  const idleAfter = await orStopped(stopped, settled());
  const openTransactions = await transactionsLeftOpen(postgres);
  await product.stop();
  const { live, demo } = loadConfig({}).limits;
  return {
    questions,
    attempts,
    replies: provider.replies,
    stored: await readStored(postgres, otherRowsBefore, idsToSuspend),
    openTransactions,
    faults: faults.records,
    suspensions: suspensions.records,
    budgets,
    lives: product.lives,
    samples: { idleBefore, between, idleAfter },
    awayFromRedis: readAwayFromRedis(product.logLines, product.lives),
    redisEmptiedAt: faults.redisEmptiedAt,
    limits: { live, demo },
    longestStallMilliseconds: stalls.max / 1e6,
    logLines: product.logLines,
  };
}

/** The first few come from one office, the others each from a place of their own. */
function placeOf(number: number): string {
  return number < 3 ? 'office' : `home-${number}`;
}

async function orStopped<T>(stopped: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error('The run was stopped.', { cause: stopped.reason }));
  if (stopped.aborted) stop();
  stopped.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]);
}
