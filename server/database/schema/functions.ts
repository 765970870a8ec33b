import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { version } from '../../version.ts';
import type { EntityManager } from '../orm.ts';
import { type Migration, stepsTable } from './migrations.ts';

const directory = new URL('functions/', import.meta.url);

const sources = readdirSync(directory)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => readFileSync(new URL(file, directory), 'utf8'));

/**
 * The functions with the types of their parameters, such as `settle_turn(text, text, int)`, because others can have functions
 * of the same names in the schema.
 */
export const functionSignatures = sources.map(readSignature);

function readSignature(source: string): string {
  const [, name = '', list = ''] = /^create or replace function (\w+)\((.*?)\)\s*returns /ms.exec(source) ?? [];
  const parameters = list.replace(/--.*/g, '').split(',');
  return `${name}(${parameters.map((parameter) => parameter.trim().replace(/^\w+\s+/, '')).join(', ')})`;
}

/**
 * The statements that create or replace the functions. Each function gets a fixed search path, so that a caller cannot
 * redirect the names in it, and a lock timeout, which still applies after the calling process has died. It would fail under
 * `row_security = off`, so it sets `on`. `public` gets no execute privilege, because some functions run as their owner.
 */
const statements = [
  // The check would run as the role that the function sets, which has no privilege to execute the function.
  'set local check_function_bodies = off',
  ...sources,
  `do $$
    declare
      signature text;
    begin
      foreach signature in array array[${functionSignatures.map((signature) => `'${signature}'`).join(', ')}] loop
        execute format('alter function %I.%s set search_path = %1$I, pg_temp set lock_timeout = ''10s'' set row_security = on',
          current_schema(), signature);
        execute format('revoke execute on function %I.%s from public', current_schema(), signature);
      end loop;
    end $$`,
];

const fingerprint = createHash('sha256').update(statements.join()).digest('hex');

/** Creates or replaces the functions, after all migrations. */
export const functionsStep: Migration = {
  name: 'functions',
  statements: [...statements, `comment on table ${stepsTable} is 'Functions of ${version}, sha256 ${fingerprint}'`],
};

/**
 * Returns false if the functions are those of this release or a later one. A later release supports all calls of this one,
 * and a process of this release that starts during an update must not downgrade them.
 */
export async function areFunctionsOutdated(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ comment: string | null }[]>(
    `select obj_description(to_regclass(?), 'pg_class') as comment`,
    [stepsTable],
  );
  const comment = row?.comment ?? '';
  const [, release = '', hash = ''] = /^Functions of (\S+), sha256 (\S+)$/.exec(comment) ?? [];
  return hash !== fingerprint && !isLater(release, version);
}

function isLater(one: string, other: string): boolean {
  const [numbers = '', otherNumbers = ''] = [one, other].map((release) => release.split('-')[0]);
  return numbers.localeCompare(otherNumbers, 'en', { numeric: true }) > 0;
}
