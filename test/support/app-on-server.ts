import { type Logger, pino } from 'pino';
import { createRepositories, openDatabase } from '../../server/database/database.ts';
import { createAdministration } from '../../server/database/operators/administration.ts';
import { openOrm } from '../../server/database/orm.ts';
import { type AppOptions, createTestApp } from './test-app.ts';

const silent = pino({ level: 'silent' });

type Options = Pick<AppOptions, 'maxStreams' | 'tokensPerDay' | 'lateAfterMilliseconds'> & {
  /** The address with the login that migrates the schema. By default, the application's login does. */
  ownerUrl?: string;
  logger?: Logger;
};

export async function createAppOnServer(url: string, { ownerUrl, logger = silent, ...options }: Options = {}) {
  await using opened = new AsyncDisposableStack();
  const settings = { kind: 'postgresql', url, ownerUrl } as const;
  await (await openDatabase(settings, silent)).close();
  const orm = await openOrm(settings, silent);
  const database = await createRepositories(orm, logger);
  opened.defer(database.close);
  const storage = {
    orm,
    database,
    administration: createAdministration(orm, 'operator of the tests'),
    rows: () => Promise.reject(new Error('Query the PostgreSQL server directly.')),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const app = await createTestApp({ shared: { storage }, limits: { live: 10_000, demo: 10_000 }, ...options });
  opened.defer(app.close);
  const parts = opened.move();
  return { ...app, close: () => parts.disposeAsync(), [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export type AppOnServer = Awaited<ReturnType<typeof createAppOnServer>>;
