import { record } from './audit.ts';
import type { Client } from './client.ts';
import { findPendingMigrations } from './inspection.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './transactions.ts';

/** Every table but that of the migrations and one that only the release before uses, each after those that its rows refer to. */
export const copiedTables = [
  'organizations',
  'users',
  'memberships',
  'identities',
  'engagement_states',
  'conversations',
  'chat_messages',
  'token_uses',
  'sessions',
  'invitations',
  'blocked_accounts',
  'audit_events',
] as const;

type Table = (typeof copiedTables)[number];

/** Columns that are numbered by the database. */
const numbered: readonly [Table, string][] = [
  ['chat_messages', 'position'],
  ['audit_events', 'position'],
];

/** Rows in memory at once: a message may have a megabyte. */
const batchRows = 20;

/**
 * Copies every row of every table of the embedded database, which nobody else can open meanwhile, in one transaction of the
 * target, and gives how many rows of each there are.
 * @throws Error with a sentence where the target's schema is not this release's, or it has rows already, or not every row
 * arrived; the target is as before then
 */
export async function copyInto(source: Client, target: Orm, operator: string): Promise<Record<Table, number>> {
  const pending = await findPendingMigrations(target);
  if (pending.length > 0) {
    throw new Error(
      `The target's schema lacks ${pending.join(', ')}. Bring it up to date with npm run migrate. Nothing was copied.`,
    );
  }
  return acrossOrganizations(target, async (em) => {
    // Until the end nobody else writes to them.
    await em.execute(`lock table ${copiedTables.join(', ')} in share row exclusive mode`);
    await refuseRows(em);
    const copied = {} as Record<Table, number>;
    for (const table of copiedTables) {
      await copyTable(source, em, table);
      const { rows } = await source.query<Count>(countOf(table), []);
      const [there, here] = [rows[0]?.count ?? 0, await count(em, table)];
      if (there !== here) throw new Error(`${table} has ${there} rows, and ${here} arrived. Nothing was copied.`);
      copied[table] = here;
    }
    for (const [table, column] of numbered) {
      await em.execute(
        `select setval(pg_get_serial_sequence(?, ?), coalesce(max(${column}), 1), max(${column}) is not null) from ${table}`,
        [table, column],
      );
    }
    await record(em, { action: 'copy-to', actor: operator, subject: null });
    return copied;
  });
}

async function refuseRows(em: EntityManager): Promise<void> {
  const found: string[] = [];
  for (const table of copiedTables) {
    const rows = await count(em, table);
    if (rows > 0) found.push(`${table} (${rows})`);
  }
  if (found.length > 0) throw new Error(`The target is not empty: ${found.join(', ')}. Nothing was copied.`);
}

/** As JSON texts that nothing here reads: no number and no time loses a digit. */
async function copyTable(source: Client, target: EntityManager, table: Table): Promise<void> {
  const rows = await target.execute<{ name: string }[]>(
    `select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = ? order by ordinal_position`,
    [table],
  );
  const columns = rows.map(({ name }) => `"${name}"`).join(', ');
  const texts = `select row_to_json(found)::text as row from (select ${columns} from ${table}) found`;
  await source.query(`declare copied no scroll cursor with hold for ${texts}`, []);
  for (;;) {
    const { rows: batch } = await source.query<{ row: string }>(`fetch forward ${batchRows} from copied`, []);
    if (batch.length > 0) {
      await target.execute(
        `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, ?::json)`,
        [`[${batch.map(({ row }) => row).join(',')}]`],
      );
    }
    if (batch.length < batchRows) break;
  }
  await source.query('close copied', []);
}

async function count(em: EntityManager, table: Table): Promise<number> {
  const [row] = await em.execute<Count[]>(countOf(table));
  return row?.count ?? 0;
}

type Count = { count: number };

const countOf = (table: Table) => `select count(*)::float8 as count from ${table}`;
