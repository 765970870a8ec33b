import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { eventually } from './eventually.ts';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { temporaryDirectory } from './served-process.ts';
import { createServerProcess, run } from './server-process.ts';

/** PostgreSQL and PgBouncer refuse to run as root. Returns the uid and gid of `name` if the tests run as root. */
export function systemAccount(name: string): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

// Debian installs initdb and postgres outside of the path.
const path = [...globSync('/usr/lib/postgresql/*/bin'), process.env.PATH].join(':');

export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

type Options = {
  name?: string;
  settings?: Record<string, string>;
  /** The lines of pg_hba.conf. By default, every user may connect from this machine. */
  admission?: readonly string[];
  /** PEM files: the server's certificate and key, and the authority of client certificates. */
  tls?: { certificate: string; key: string; authority: string };
};

/** Starts a PostgreSQL server in `directory` that a test can stop, crash and freeze. */
export async function startPostgres(directory: string, options: Options = {}) {
  newCluster ??= createCluster();
  return startCluster(directory, options, ['cp', '--archive', await newCluster, 'cluster']);
}

/** The files of a new cluster. initdb takes much longer than a copy, so it runs once per test process. */
let newCluster: Promise<string> | undefined;

async function createCluster(): Promise<string> {
  const { path: cwd } = await temporaryDirectory();
  const account = systemAccount('postgres');
  if ('uid' in account) await chown(cwd, account.uid, account.gid);
  const login = ['--username=postgres', '--auth=trust'];
  const parameters = ['--pgdata=cluster', '--no-sync', ...login, '--encoding=UTF8', '--locale=C'];
  await run('initdb', parameters, { cwd, env: { PATH: path }, ...account });
  return join(cwd, 'cluster');
}

function startStandby(directory: string, primary: Postgres) {
  const copy = ['--write-recovery-conf', '--checkpoint=fast', `--dbname=${primary.url}`];
  return startCluster(directory, { name: 'standby' }, ['pg_basebackup', '--pgdata=cluster', '--no-sync', ...copy]);
}

async function startCluster(directory: string, options: Options, initCommand: readonly string[]) {
  const [init = '', ...parameters] = initCommand;
  const { name = 'postgres', settings = {}, admission, tls } = options;
  const port = await findNonEphemeralPort();
  const data = join(directory, name);
  const spawning = { cwd: data, env: { PATH: path }, ...systemAccount('postgres') };
  await mkdir(data);
  if ('uid' in spawning) {
    await chmod(directory, 0o711);
    await chown(data, spawning.uid, spawning.gid);
  }
  await run(init, parameters, spawning);
  if (admission !== undefined) await writeFile(join(data, 'cluster/pg_hba.conf'), `${admission.join('\n')}\n`);
  for (const [kind, file] of Object.entries(tls ?? {})) {
    const own = join(data, kind);
    await writeFile(own, await readFile(file), { mode: 0o600 });
    if ('uid' in spawning) await chown(own, spawning.uid, spawning.gid);
  }
  const all = {
    // Only the server crashes in tests, never the machine, so its writes survive in the system's cache.
    fsync: 'off',
    max_connections: '300',
    ...(tls && {
      ssl: 'on',
      ssl_cert_file: join(data, 'certificate'),
      ssl_key_file: join(data, 'key'),
      ssl_ca_file: join(data, 'authority'),
    }),
    ...settings,
  };

  const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'postgres'];
  const server = createServerProcess({
    command: 'postgres',
    parameters: [
      ...['-D', 'cluster', '-p', String(port), '-k', data],
      ...Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]),
    ],
    spawning,
    probe: () => query('select 1'),
  });

  /** Runs a statement with one JSON column, and returns the parsed rows. */
  async function query<T>(statement: string): Promise<T[]> {
    const parameters = [...address, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', statement];
    const { stdout } = await run('psql', parameters, { env: { PATH: path }, maxBuffer: 2 ** 30 });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  async function processes(): Promise<number[]> {
    const backends = await query<number>('select pid from pg_stat_activity where pid <> pg_backend_pid()');
    return server.pid === undefined ? backends : [...backends, server.pid];
  }

  await server.start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    host: `127.0.0.1:${port}`,
    query,
    start: server.start,
    /** Fast shutdown: disconnects the clients and writes a checkpoint. */
    stop: () => server.stop('SIGINT'),
    /** Immediate shutdown: the next start recovers from the write-ahead log. */
    crash: () => server.stop('SIGQUIT'),
    /** Suspends every process of the server. Returns a function that resumes them. */
    async freeze(): Promise<() => void> {
      const frozen = await processes();
      for (const pid of frozen) signal(pid, 'SIGSTOP');
      return () => {
        for (const pid of frozen) signal(pid, 'SIGCONT');
      };
    },
    promote: () => query('select to_json(pg_promote())'),
    /** Terminates all connections with an open transaction, every 100 ms. */
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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has exited in the meantime.
  }
}

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

/** A failover loses no acknowledged commit. While there is no standby, the primary acknowledges none. */
export async function startPostgresPair(directory: string) {
  await using opened = new AsyncDisposableStack();
  const primary = await startPostgres(directory, { name: 'primary' });
  opened.defer(primary.stop);
  const standby = await startStandby(directory, primary);
  opened.defer(standby.stop);
  await primary.query(`alter system set synchronous_standby_names = '*'`);
  await primary.query('select to_json(pg_reload_conf())');
  await eventually(async () => {
    const [attached] = await primary.query<boolean>(
      `select to_json(count(*) > 0) from pg_stat_replication where sync_state = 'sync'`,
    );
    return attached || undefined;
  });

  const parts = opened.move();
  return {
    primary,
    standby,
    url: (parameters: string) => `postgresql://postgres@${primary.host},${standby.host}/postgres?${parameters}`,
    async failOver(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
      await primary.crash();
      await meanwhile();
      await standby.promote();
    },
    stop: () => parts.disposeAsync(),
  };
}
