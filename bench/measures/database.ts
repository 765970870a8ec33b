import process from 'node:process';
import { pino } from 'pino';
import { createDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openOrm, unhurried } from '../../server/database/orm.ts';
import { populate } from '../../test/support/population.ts';
import { createOwnDatabase } from '../contenders/own-database.ts';
import { listsTable, measureLists } from '../database/operator-lists.ts';
import { sizesOf, storedTable } from '../database/stored-rows.ts';
import { callsTable, measureCalls } from '../database/turn-calls.ts';
import type { Measure } from './measure.ts';

const silent = pino({ level: 'silent' });

/** A database of a year's use: what each call takes, what a turn and a person leave in it, and what operators' lists take. */
export const measureDatabase: Measure = async ({ quick, rounds, say }) => {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set: run this with .ci/with-services.');
  const population = { people: quick ? 5_000 : 100_000, turnsOfPerson: 5 };
  await using opened = new AsyncDisposableStack();
  const own = await createOwnDatabase(server);
  opened.defer(own.drop);

  const making = await openOrm({ kind: 'postgresql', url: own.url }, silent, unhurried);
  await migrate(making, { shared: true });
  say(`database: ${population.people.toLocaleString('en')} people are made`);
  await populate(making, population);
  const sizes = await sizesOf(making);
  await making.close(true);
  const lists = await measureLists(own.url, say);

  // One connection: the processor time of its process on the server is that of the calls.
  const orm = await openOrm({ kind: 'postgresql', url: own.url, pool: 1 }, silent, unhurried);
  const database = await createDatabase(orm, silent);
  opened.defer(database.close);
  const samples = await measureCalls({ orm, database, population, rounds, callsOfRound: quick ? 200 : 1000, say });
  return [callsTable(population, samples), storedTable(population, sizes), listsTable(population, lists)];
};
