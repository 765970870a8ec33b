import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createServerProcess, run } from './server-process.ts';
import { steadyPort } from './steady-port.ts';

/** Where Debian keeps what is not on the path. */
const path = [...globSync('/usr/lib/postgresql/*/bin'), process.env.PATH].join(':');

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** A PostgreSQL of one's own, in `directory`, that can be stopped, crashed and frozen. */
export async function startPostgres(directory: string) {
  const port = await steadyPort();
  const data = join(directory, 'postgres');
  const spawning = { cwd: data, env: { PATH: path }, ...ownAccount() };
  await mkdir(data);
  if ('uid' in spawning) {
    await chmod(directory, 0o711);
    await chown(data, spawning.uid, spawning.gid);
  }
  const cluster = ['--pgdata=cluster', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await run('initdb', [...cluster, '--no-sync'], spawning);

  const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'postgres'];
  const server = createServerProcess({
    command: 'postgres',
    // Nothing here outlives the machine: what a crash of the server leaves behind is in the system's cache.
    parameters: ['-D', 'cluster', '-p', String(port), '-k', data, '-c', 'fsync=off', '-c', 'max_connections=300'],
    spawning,
    answers: () => query('select 1'),
  });

  /** The rows of `statement`, each parsed from the JSON that its one column holds. */
  async function query<T>(statement: string): Promise<T[]> {
    const parameters = [...address, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', statement];
    const { stdout } = await run('psql', parameters, { env: { PATH: path }, maxBuffer: 2 ** 30 });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Every process of the server. */
  async function processes(): Promise<number[]> {
    const backends = await query<number>('select pid from pg_stat_activity where pid <> pg_backend_pid()');
    return server.pid === undefined ? backends : [...backends, server.pid];
  }

  await server.start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    query,
    start: server.start,
    /** Ends the connections and shuts down in good order. */
    stop: () => server.stop('SIGINT'),
    /** Ends without a word to anybody; the next start recovers from the log. */
    crash: () => server.stop('SIGQUIT'),
    /** Stops every process where it stands; calling the result lets them go on. */
    async freeze(): Promise<() => void> {
      const frozen = await processes();
      for (const pid of frozen) signal(pid, 'SIGSTOP');
      return () => {
        for (const pid of frozen) signal(pid, 'SIGCONT');
      };
    },
    /** Ends, ten times a second, whatever connection is in a transaction. */
    async killTransactions(milliseconds: number): Promise<void> {
      await query(`do $$ begin
        for round in 1..${Math.ceil(milliseconds / 100)} loop
          perform pg_stat_clear_snapshot();
          perform pg_terminate_backend(pid) from pg_stat_activity
            where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid();
          perform pg_sleep(0.1);
        end loop;
      end $$`);
    },
  };
}

/** PostgreSQL refuses to run as root. */
function ownAccount(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}
