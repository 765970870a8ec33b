import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createAdministration } from '../../server/database/administration.ts';
import { createDatabase } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openOrm } from '../../server/database/orm.ts';
import { createLogger } from '../../server/http/logger.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { type AppOptions, createTestApp } from '../support/test-app.ts';

const silent = pino({ level: 'silent' });
const run = promisify(execFile);

export type StoredMessage = { role: string; content: string; request_id: string; stop_reason: string | null };

type Options = {
  megabytes?: number;
  settings?: Record<string, string>;
  app?: Pick<AppOptions, 'maxStreams' | 'tokensPerDay'>;
};

/** Creates the clock that times outages: the real clock with an offset that a test can increase. */
function createAdvanceableClock() {
  let offsetMilliseconds = 0;
  return {
    read: () => performance.now() + offsetMilliseconds,
    advance(milliseconds: number) {
      offsetMilliseconds += milliseconds;
    },
  };
}

/**
 * Starts the application on its own PostgreSQL server, which a test can stop, crash and fill up. With `megabytes`, the
 * server's data is on a filesystem of that size, which only root can mount.
 */
export async function createAppOnOwnPostgres({ megabytes, settings: own = {}, app: options }: Options = {}) {
  await using opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(directory.remove);
  if (megabytes !== undefined) {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory.path]);
    opened.defer(async () => void (await run('umount', [directory.path])));
  }
  const postgres = await startPostgres(directory.path, { settings: own });
  opened.defer(postgres.stop);
  const settings = { kind: 'postgresql', url: postgres.url } as const;
  const orm = await openOrm(settings, silent);
  await migrate(orm, { shared: true });
  const clock = createAdvanceableClock();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const database = await createDatabase(orm, logger, { clock: clock.read });
  opened.defer(database.close);
  const operator = await openOrm(settings, silent);
  opened.defer(() => operator.close(true));

  /** Queries the server without the application's connections. */
  const rows = <T>(sql: string): Promise<T[]> => postgres.query<T>(`select to_json(found) from (${sql}) as found`);
  const administration = createAdministration(orm, 'operator of the tests');
  const storage = { orm, database, administration, rows, close: async () => {}, [Symbol.asyncDispose]: async () => {} };
  const app = await createTestApp({
    shared: { storage },
    lateAfterMilliseconds: 200,
    limits: { live: 1_000_000, demo: 1_000_000 },
    ...options,
  });
  opened.defer(app.close);

  const parts = opened.move();
  return {
    ...app,
    storage,
    postgres,
    /** The log lines of the database module. */
    databaseLines: lines,
    clock,
    directory: directory.path,
    /** Uses a connection outside of the application's pool. */
    operator: operator.em,
    messages: () => rows<StoredMessage>('select * from chat_messages order by position'),
    close: () => parts.disposeAsync(),
  };
}

export type AppOnOwnPostgres = Awaited<ReturnType<typeof createAppOnOwnPostgres>>;
