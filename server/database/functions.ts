import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { version } from '../version.ts';
import { runStep } from './migrations/steps.ts';
import type { EntityManager, Orm } from './orm.ts';

/** The table of the migrations' names. */
export const tableName = 'schema_migrations';

const directory = new URL('functions/', import.meta.url);

/** The functions that requests call, each in the file of its name. */
export const functionNames = readdirSync(directory)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -'.sql'.length))
  .sort();

/**
 * The statements that put functions in place. Each finds what it names in this schema alone, whoever calls it and whatever
 * that caller's search path is; it waits for a lock no longer than a request does, also where the process that called it is
 * gone; and only who was granted it may call it, because some work as their owner. The same goes for those of the name that
 * the release before calls by other parameters.
 */
export function functionStatements(...names: readonly string[]): string[] {
  return [
    // It would be looked at in the role that it sets, which may not call it.
    'set local check_function_bodies = off',
    ...names.map((name) => readFileSync(new URL(`${name}.sql`, directory), 'utf8')),
    `do $$
      declare
        placed regprocedure;
      begin
        for placed in
          select pg_proc.oid from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
            where nspname = current_schema() and proname in (${names.map((name) => `'${name}'`).join(', ')})
        loop
          execute format('alter function %s set search_path = %I, pg_temp', placed, current_schema());
          execute format('alter function %s set lock_timeout = ''10s''', placed);
          execute format('revoke execute on function %s from public', placed);
        end loop;
      end $$`,
  ];
}

const statements = functionStatements(...functionNames);
const fingerprint = createHash('sha256').update(statements.join()).digest('hex');

/**
 * Whether the schema's functions are not those of this release. Those of a later one will do: that one keeps what this
 * one calls, and a process of this release that starts meanwhile must not take them back.
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

/** Makes the functions, or replaces them, all in one transaction. A comment on the table of the migrations says which there are. */
export async function replaceFunctions({ driver }: Orm): Promise<void> {
  const comment = `comment on table ${tableName} is 'Functions of ${version}, sha256 ${fingerprint}'`;
  await runStep(driver, [...statements, comment]);
}
