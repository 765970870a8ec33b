import type { Operation } from './operation.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './transactions.ts';

/** Which part of a list: what follows the row with this id, and so many rows at most. */
export type Part = { after?: string | undefined; limit?: number | undefined };

type List = {
  /** The operator's command, as the trail names it. */
  action: string;
  /** The table that is listed in the order of its `created_at` and `id`, and what one of its rows is called. */
  table: 'users' | 'organizations' | 'invitations';
  called: string;
  newestFirst?: boolean;
  /** The columns of a row, `id` among them, and where they come from. */
  columns: string;
  from: string;
  /** Which rows are listed; without it, all. */
  where?: { condition: string; parameters: readonly unknown[] };
};

/** `at` as PostgreSQL writes it: a JavaScript date has no microseconds. */
type Position = { at: string; id: string };

/** Rows in memory at once. */
const pageRows = 500;

/** Lists that are read page by page, each page in a short transaction of its own: a list may have any length. */
export function createListing(orm: Orm, operation: Operation) {
  /**
   * Gives the pages of a list, none of them empty.
   * @throws Error with a sentence where there is no row with the id of `after`
   */
  return async function* pages<Row extends { id: string }>(
    list: List,
    { after, limit = Number.POSITIVE_INFINITY }: Part = {},
  ): AsyncGenerator<Row[]> {
    let position: Position | undefined;
    let left = limit;
    let begun = false;
    for (;;) {
      const most = Math.min(pageRows, left);
      const read = async (em: EntityManager) => {
        await goByTheIndex(em);
        if (!begun && after !== undefined) position = await positionOf(em, list, after);
        return readPage<Row>(em, list, position, most);
      };
      // The trail tells of the list once.
      const rows = begun ? await acrossOrganizations(orm, read) : await operation(list.action, null, read);
      begun = true;
      left -= rows.length;
      const last = rows.at(-1);
      if (last === undefined) return;
      position = { at: last.at, id: last.id };
      yield rows.map(({ at: _at, ...row }) => row as unknown as Row);
      if (rows.length < most || left === 0) return;
    }
  };
}

export type Listing = ReturnType<typeof createListing>;

async function readPage<Row>(em: EntityManager, list: List, position: Position | undefined, most: number) {
  const { table, columns, from, where, newestFirst } = list;
  const order = newestFirst ? 'desc' : 'asc';
  const conditions = [
    ...(where === undefined ? [] : [`(${where.condition})`]),
    ...(position === undefined
      ? []
      : [`(${table}.created_at, ${table}.id) ${newestFirst ? '<' : '>'} (?::timestamptz, ?)`]),
  ];
  return em.execute<(Row & Position)[]>(
    `select ${columns}, ${table}.created_at::text as at from ${from}
      ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
      order by ${table}.created_at ${order}, ${table}.id ${order} limit ?`,
    [...(where?.parameters ?? []), ...(position === undefined ? [] : [position.at, position.id]), most],
  );
}

/**
 * With row-level security PostgreSQL expects one row, so it would read and sort the whole table for each page. It would also
 * find that plan expensive, and compile it again for each page.
 */
async function goByTheIndex(em: EntityManager): Promise<void> {
  await em.execute(
    `select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`,
  );
}

async function positionOf(em: EntityManager, { table, called }: List, id: string): Promise<Position> {
  const [row] = await em.execute<Position[]>(`select created_at::text as at, id from ${table} where id = ?`, [id]);
  if (row === undefined) throw new Error(`There is no ${called} ${id}.`);
  return row;
}
