import { pino } from 'pino';
import { openOrm } from '../../server/database/orm.ts';
import { createLogger } from '../../server/http/logger.ts';
import { createAppOnServer } from '../support/app-on-server.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { type AppOptions, question } from '../support/test-app.ts';
import { finishedTurn, type StoredMessage } from './finished-turns.ts';

type Options = Pick<AppOptions, 'tokensPerDay'> & {
  megabytes?: number;
  settings?: Record<string, string>;
};

/** Adds an offset to the monotonic clock of this process, which a test can increase. */
function advanceMonotonicClock() {
  const { now } = performance;
  let offsetMilliseconds = 0;
  performance.now = () => now.call(performance) + offsetMilliseconds;
  return {
    advance(milliseconds: number) {
      offsetMilliseconds += milliseconds;
    },
    restore() {
      performance.now = now;
    },
  };
}

/**
 * Starts the application on its own PostgreSQL server, which a test can stop, crash and fill up. With `megabytes`, the
 * server's data is on a filesystem of that size, which only root can mount.
 */
export async function createAppOnOwnPostgres({ megabytes, settings = {}, ...options }: Options = {}) {
  await using opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(directory.remove);
  if (megabytes !== undefined) {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory.path]);
    opened.defer(async () => void (await run('umount', [directory.path])));
  }
  const postgres = await startPostgres(directory.path, { settings });
  opened.defer(postgres.stop);
  const clock = advanceMonotonicClock();
  opened.defer(clock.restore);
  const databaseLines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => void databaseLines.push(JSON.parse(line)) });
  const app = opened.use(await createAppOnServer(postgres.url, { logger, lateAfterMilliseconds: 200, ...options }));
  const operator = await openOrm({ kind: 'postgresql', url: postgres.url }, pino({ level: 'silent' }));
  opened.defer(() => operator.close(true));

  /** Queries the server without the application's connections. */
  const rows = <T>(sql: string): Promise<T[]> => postgres.query<T>(`select to_json(found) from (${sql}) as found`);

  const parts = opened.move();
  return {
    ...app,
    rows,
    postgres,
    databaseLines,
    clock,
    directory: directory.path,
    /** Uses a connection outside of the application's pool. */
    operator: operator.em,
    messages: () => rows<StoredMessage>('select * from chat_messages order by position'),
    ask: (person: { cookie: string }, content = 'Where do we start?') =>
      finishedTurn(app.live(person, question(content)), content),
    untilNoneIsLate: () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined)),
    close: () => parts.disposeAsync(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type AppOnOwnPostgres = Awaited<ReturnType<typeof createAppOnOwnPostgres>>;
