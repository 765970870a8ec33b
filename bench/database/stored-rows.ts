import type { Orm } from '../../server/database/orm.ts';
import { inWords, type Population } from '../../test/support/population.ts';
import type { Table } from '../report/table.ts';

type Size = { table: string; rows: number; bytes: number; indexBytes: number };

/** Of each table that has rows; the planner's figures are those of the last vacuum. */
export function sizesOf(orm: Orm): Promise<Size[]> {
  return orm.em.fork().execute<Size[]>(
    `select relname as table, reltuples::float8 as rows, pg_table_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as "indexBytes"
       from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples > 0 and relname <> 'schema_migrations'
      order by relname`,
  );
}

export function storedTable(population: Population, sizes: readonly Size[]): Table {
  const number = (value: number) => Math.round(value).toLocaleString('en');
  const all = sizes.reduce((sum, { bytes, indexBytes }) => sum + bytes + indexBytes, 0);
  return {
    heading: `What is stored of ${inWords(population)}`,
    about:
      'Questions of about 60 words, answers of about 350, as they lie on the disk. Two messages are a turn. ' +
      `In all ${number(all / 2 ** 20)} MiB.`,
    columns: ['table', 'rows', 'bytes of a row', 'of its entries in indexes'],
    rows: sizes.map(({ table, rows, bytes, indexBytes }) => [
      table,
      number(rows),
      number(bytes / rows),
      number(indexBytes / rows),
    ]),
  };
}
