import { recordEvent } from '../audit.ts';
import type { Client } from '../native-client.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { findPendingSteps } from '../schema/run-migrations.ts';
import { acrossOrganizations } from '../transactions.ts';

/**
 * All tables in foreign-key order, except the migrations table and the sums of token_uses, which triggers maintain. The key from
 * users to memberships is deferred.
 */
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

type CopiedTable = (typeof copiedTables)[number];

const sequenceColumns: readonly [CopiedTable, string][] = [
  ['chat_messages', 'position'],
  ['audit_events', 'position'],
];

/** Limits memory, because a message can be a megabyte long. */
const batchRows = 20;

/**
 * Copies all rows of the embedded database, to which this process has exclusive access, in one transaction of the target.
 * Resolves to the row count of each table.
 * @throws Error with a message for the operator if the target's schema is outdated, if the target has rows, or if the counts
 * differ. The target is then unchanged.
 */
export async function copyInto(source: Client, target: Orm, operator: string): Promise<Record<CopiedTable, number>> {
  const pending = await findPendingSteps(target);
  if (pending.length > 0) {
    throw new Error(
      `The target's schema lacks ${pending.join(', ')}. Run npm run migrate on it first. Nothing was copied.`,
    );
  }
  return acrossOrganizations(target, async (em) => {
    // Blocks concurrent writes until the commit.
    await em.execute(`lock table ${copiedTables.join(', ')} in share row exclusive mode`);
    await requireEmpty(em);
    const copied = {} as Record<CopiedTable, number>;
    for (const table of copiedTables) {
      await copyTable(source, em, table);
      const { rows } = await source.query<CountRow>(countStatement(table), []);
      const [sourceCount, targetCount] = [rows[0]?.count ?? 0, await count(em, table)];
      if (sourceCount !== targetCount) {
        throw new Error(
          `${table} has ${sourceCount} rows in the source and ${targetCount} in the target. Nothing was copied.`,
        );
      }
      copied[table] = targetCount;
    }
    for (const [table, column] of sequenceColumns) {
      await em.execute(
        `select setval(pg_get_serial_sequence(?, ?), coalesce(max(${column}), 1), max(${column}) is not null) from ${table}`,
        [table, column],
      );
    }
    await recordEvent(em, { action: 'copy-to', actor: operator, subject: null });
    return copied;
  });
}

async function requireEmpty(em: EntityManager): Promise<void> {
  const found: string[] = [];
  for (const table of copiedTables) {
    const rows = await count(em, table);
    if (rows > 0) found.push(`${table} (${rows})`);
  }
  if (found.length > 0) throw new Error(`The target is not empty: ${found.join(', ')}. Nothing was copied.`);
}

/** Transfers rows as unparsed JSON, so that numbers and times keep their precision. */
async function copyTable(source: Client, target: EntityManager, table: CopiedTable): Promise<void> {
  const rows = await target.execute<{ name: string }[]>(
    `select attname as name from pg_attribute
      where attrelid = to_regclass(?) and attnum > 0 and not attisdropped order by attnum`,
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

async function count(em: EntityManager, table: CopiedTable): Promise<number> {
  return (await em.execute<CountRow>(countStatement(table), [], 'get')).count;
}

type CountRow = { count: number };

const countStatement = (table: CopiedTable) => `select count(*)::float8 as count from ${table}`;
