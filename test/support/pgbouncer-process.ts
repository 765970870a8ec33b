import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { systemAccount } from './postgres-process.ts';
import { createServerProcess } from './server-process.ts';

/** Starts PgBouncer with transaction pooling and these `settings`. `users` log in without a password. */
export async function startPgBouncer(
  directory: string,
  target: { host: string },
  { users = ['postgres'], settings = {} }: { users?: readonly string[]; settings?: Record<string, string> } = {},
) {
  const port = await findNonEphemeralPort();
  const own = join(directory, 'pgbouncer');
  const account = systemAccount('postgres');
  const configuration = join(own, 'pgbouncer.ini');
  await mkdir(own);
  if ('uid' in account) await chown(own, account.uid, account.gid);
  await writeFile(join(own, 'users'), users.map((user) => `"${user}" ""\n`).join(''));
  await pointAt(target);

  async function pointAt({ host }: { host: string }): Promise<void> {
    const [name, serverPort] = host.split(':');
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: join(own, 'users'),
      pool_mode: 'transaction',
      ...settings,
    };
    const lines = Object.entries(all).map(([setting, value]) => `${setting} = ${value}\n`);
    await writeFile(configuration, `[databases]\n* = host=${name} port=${serverPort}\n[pgbouncer]\n${lines.join('')}`);
  }

  const url = `postgresql://${users[0]}@127.0.0.1:${port}/postgres`;
  const server = createServerProcess({
    command: 'pgbouncer',
    parameters: [configuration],
    spawning: { cwd: own, env: { PATH: `/usr/sbin:${process.env.PATH}` }, ...account },
    async probe() {
      const client = new Client(url);
      try {
        await client.connect();
        await client.query('select 1');
      } finally {
        await client.end();
      }
    },
  });
  await server.start();
  return {
    url,
    host: `127.0.0.1:${port}`,
    /** Routes new transactions to another server. */
    async repoint(other: { host: string }): Promise<void> {
      await pointAt(other);
      server.signal('SIGHUP');
    },
    stop: () => server.stop('SIGTERM'),
  };
}
