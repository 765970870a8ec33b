import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { version } from '../version.ts';
import { runStep } from './migrations/steps.ts';
import { tableName } from './migrations.ts';
import type { EntityManager, Orm } from './orm.ts';

const directory = new URL('functions/', import.meta.url);

export const functionNames = readdirSync(directory)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -'.sql'.length))
  .sort();

/**
 * The statements that create or replace the functions. Each function gets a fixed search path, so that a caller cannot
 * redirect the names in it. It gets a lock timeout, which still applies after the calling process has died. `public` gets no
 * execute privilege, because some functions run as their owner. Overloads that the previous release calls are included.
 */
const statements = [
  // The check would run as the role that the function sets, which has no privilege to execute the function.
  'set local check_function_bodies = off',
  ...functionNames.map((name) => readFileSync(new URL(`${name}.sql`, directory), 'utf8')),
  `do $$
    declare
      placed regprocedure;
    begin
      for placed in
        select pg_proc.oid from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
          where nspname = current_schema() and proname in (${functionNames.map((name) => `'${name}'`).join(', ')})
      loop
        execute format('alter function %s set search_path = %I, pg_temp', placed, current_schema());
        execute format('alter function %s set lock_timeout = ''10s''', placed);
        execute format('revoke execute on function %s from public', placed);
      end loop;
    end $$`,
];

const fingerprint = createHash('sha256').update(statements.join()).digest('hex');

/**
 * Returns false if the functions are those of this release or a later one. A later release supports all calls of this one,
 * and a process of this release that starts during an update must not downgrade them.
 */
export async function areFunctionsOutdated(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ comment: string | null }[]>(
    `select obj_description(to_regclass(?), 'pg_class') as comment`,
    [tableName],
  );
  const comment = row?.comment ?? '';
  const [, release = '', hash = ''] = /^Functions of (\S+), sha256 (\S+)$/.exec(comment) ?? [];
  return hash !== fingerprint && !isLater(release, version);
}

function isLater(one: string, other: string): boolean {
  const [numbers = '', otherNumbers = ''] = [one, other].map((release) => release.split('-')[0]);
  return numbers.localeCompare(otherNumbers, 'en', { numeric: true }) > 0;
}

export async function replaceFunctions({ driver }: Orm): Promise<void> {
  const comment = `comment on table ${tableName} is 'Functions of ${version}, sha256 ${fingerprint}'`;
  await runStep(driver, [...statements, comment]);
}
