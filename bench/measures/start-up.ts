import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildClientIfStale } from '../../server/pages/client-build.ts';
import { serveInProcess } from '../../test/support/served-process.ts';
import { createOwnDatabase } from '../contenders/own-database.ts';
import { showSpread, spreadOf } from '../report/spread.ts';
import type { Measure } from './measure.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a start's steps take: a process of its own for each, and for each round a database that is new. */
export const measureStartUp: Measure = async ({ rounds, say }) => {
  await buildClientIfStale(root);
  const samples = new Map<string, number[]>();
  const note = (what: string, milliseconds: number) => samples.set(what, [...(samples.get(what) ?? []), milliseconds]);

  for (let round = 1; round <= rounds; round += 1) {
    say(`start-up: round ${round} of ${rounds}`);
    note('Node alone', processTime(''));
    note('… and every module of the server imported', processTime(`await import('./server/start.ts');`));

    const directory = await mkdtemp(join(tmpdir(), 'advisory-chat-bench-'));
    const embedded = { DATA_DIR: directory };
    note('embedded parts, first start: the database is made', await timeToListen(embedded));
    note('embedded parts, started again', await timeToListen(embedded));
    await rm(directory, { recursive: true });

    const { TEST_DATABASE_URL: server, TEST_REDIS_URL } = process.env;
    if (server === undefined || TEST_REDIS_URL === undefined) continue;
    const database = await createOwnDatabase(server);
    const production = productionVariables(database.url, TEST_REDIS_URL);
    note(
      'production, PostgreSQL and Redis, first start: an empty database is migrated',
      await timeToListen(production),
    );
    note('production, PostgreSQL and Redis, started again', await timeToListen(production));
    await database.drop();
  }
  return [
    {
      heading: 'Start-up',
      about: 'From the process’s start until it takes requests, in milliseconds; the client is built.',
      columns: ['', 'ms'],
      rows: [...samples].map(([what, times]) => [what, showSpread(spreadOf(times), 0)]),
    },
  ];
};

/** Milliseconds from a process's start until the last line of `code` is done, by its own clock. */
function processTime(code: string): number {
  const told = `${code}process.stdout.write(String(performance.now()))`;
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', told], { cwd: root, encoding: 'utf8' }),
  );
}

async function timeToListen(variables: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const served = serveInProcess(variables);
  await served.url;
  const elapsed = performance.now() - startedAt;
  served.kill('SIGTERM');
  await served.exited;
  return elapsed;
}

function productionVariables(databaseUrl: string, redisUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://chat.example.com',
    TRUST_PROXY: 'true',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SESSION_SECRET: 'a secret that only this measurement knows',
    ANTHROPIC_API_KEY: 'a-key-of-no-one',
    GOOGLE_CLIENT_ID: 'an-id-of-no-one',
    GOOGLE_CLIENT_SECRET: 'a-secret-of-no-one',
  };
}
