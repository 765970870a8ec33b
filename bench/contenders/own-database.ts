import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openOrm } from '../../server/database/orm.ts';

/** A database of its own on `server`, empty, and what drops it again. */
export async function createOwnDatabase(server: string) {
  const name = `advisory_chat_bench_${randomBytes(4).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `drop database ${name} with (force)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const orm = await openOrm({ kind: 'postgresql', url }, pino({ level: 'silent' }));
  await orm.em.fork().execute(statement);
  await orm.close(true);
}
