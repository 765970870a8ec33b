import { raw } from '@mikro-orm/core';
import type { EngagementState as State } from '../../engagement/engagement-state.ts';
import { createOperationRunner, recordEvent } from '../audit.ts';
import { type Client, nativeClient } from '../client.ts';
import { EngagementState, Membership, Organization, User } from '../entities.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { findPendingSteps } from '../schema/migrate.ts';
import { hasPruned, pruneConversations } from '../serving/retention.ts';
import { acrossTenants } from '../tenant.ts';
import { acrossOrganizations } from '../transactions.ts';
import { createDeletion } from './deletion.ts';
import { createDirectory, createRequestSearch } from './directory.ts';
import { createExports } from './exports.ts';

/** Operator commands, across organizations. `operator` is the actor in audit events. */
export function createAdministration(orm: Orm, operator: string) {
  const runOperation = createOperationRunner(orm, operator);

  return {
    ...createDirectory(runOperation),
    ...createRequestSearch(runOperation),
    ...createExports(orm, runOperation),
    ...createDeletion(orm, operator),

    describeOrganization: (orgId: string, description: { name?: string; industry?: string; size?: string | null }) =>
      runOperation('describe-organization', orgId, async (em) => {
        const changed = await em.nativeUpdate(Organization, { id: orgId }, description, acrossTenants);
        if (changed === 0) throw new Error(`There is no organization ${orgId}.`);
      }),

    setOnboarded: (userId: string, onboarded: boolean) =>
      runOperation(onboarded ? 'onboard' : 'unonboard', userId, async (em) => {
        await findUser(em, userId);
        const onboardedAt = onboarded ? raw('now()') : null;
        await em.nativeUpdate(User, { id: userId }, { onboardedAt }, acrossTenants);
      }),

    /** Conversations and engagement state remain with the old organization. */
    moveUser: (userId: string, orgId: string) =>
      runOperation('move-user', userId, async (em) => {
        await findUser(em, userId);
        const organization = await em.findOne(Organization, { id: orgId }, acrossTenants);
        if (organization === null) throw new Error(`There is no organization ${orgId}.`);
        await em.upsert(Membership, { userId, orgId }, { ...acrossTenants, onConflictAction: 'ignore' });
        await em.nativeUpdate(User, { id: userId }, { organization: orgId }, acrossTenants);
      }),

    engagementState: (userId: string): Promise<State | null> =>
      runOperation('show-engagement', userId, async (em) => {
        const user = await findUser(em, userId);
        const scope = { userId, orgId: user.organization.id };
        const row = await em.findOne(EngagementState, scope, acrossTenants);
        if (row === null) return null;
        const { week, focus, hypotheses, unknowns, findings } = row;
        return { week, ...(focus !== null && { focus }), hypotheses, unknowns, findings };
      }),

    setEngagementState: (userId: string, { focus, ...state }: State) =>
      runOperation('set-engagement', userId, async (em) => {
        const user = await findUser(em, userId);
        const scope = { userId, orgId: user.organization.id };
        const row = { ...scope, ...state, focus: focus ?? null, updatedAt: raw('now()') };
        await em.upsert(EngagementState, row, acrossTenants);
      }),

    suspendUser: (userId: string) =>
      runOperation('suspend-user', userId, async (em) => {
        await findUser(em, userId);
        await em.nativeUpdate(User, { id: userId, suspendedAt: null }, { suspendedAt: raw('now()') }, acrossTenants);
        await endSessions(em, userId);
      }),

    restoreUser: (userId: string) =>
      runOperation('restore-user', userId, async (em) => {
        await findUser(em, userId);
        await em.nativeUpdate(User, { id: userId }, { suspendedAt: null }, acrossTenants);
      }),

    signOutUser: (userId: string) =>
      runOperation('sign-out-user', userId, async (em) => {
        await findUser(em, userId);
        return endSessions(em, userId);
      }),

    prune: async (retainDays: number): Promise<number> => {
      const client = await nativeClient(orm);
      await runOperation('prune', null, async () => {});
      let conversations = 0;
      for (;;) {
        const pruned = await pruneConversations(client, retainDays, operator);
        if (pruned === null) {
          throw new Error(
            `Another process is already deleting old conversations. This one stopped after ${conversations}.`,
          );
        }
        if (!hasPruned(pruned)) return conversations;
        conversations += pruned.conversations;
      }
    },

    copyTo: async (target: Orm) => {
      // Runs outside `runOperation`, whose transaction context would otherwise be applied to the other database.
      const copied = await copyInto(await nativeClient(orm), target, operator);
      await runOperation('copy-to', null, async () => {});
      return copied;
    },

    unblockAccount: (provider: string, subject: string) =>
      runOperation('unblock-account', null, async (em) => {
        const rows = await em.execute(
          `delete from blocked_accounts
            where account_hash = encode(sha256(convert_to(?, 'UTF8')), 'hex') returning account_hash`,
          [`${provider} ${subject}`],
        );
        if (rows.length === 0) throw new Error(`The account ${subject} at ${provider} is not blocked.`);
      }),
  };
}

async function findUser(em: EntityManager, userId: string) {
  const user = await em.findOne(User, { id: userId }, { ...acrossTenants, populate: ['organization'] });
  if (user === null) throw new Error(`There is no user ${userId}.`);
  return user;
}

async function endSessions(em: EntityManager, userId: string): Promise<number> {
  const ended = await em.execute('delete from sessions where user_id = ? returning sid', [userId]);
  return ended.length;
}

export type Administration = ReturnType<typeof createAdministration>;

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

type Table = (typeof copiedTables)[number];

const sequenceColumns: readonly [Table, string][] = [
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
async function copyInto(source: Client, target: Orm, operator: string): Promise<Record<Table, number>> {
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
    const copied = {} as Record<Table, number>;
    for (const table of copiedTables) {
      await copyTable(source, em, table);
      const { rows } = await source.query<Count>(countOf(table), []);
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
async function copyTable(source: Client, target: EntityManager, table: Table): Promise<void> {
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

async function count(em: EntityManager, table: Table): Promise<number> {
  return (await em.execute<Count>(countOf(table), [], 'get')).count;
}

type Count = { count: number };

const countOf = (table: Table) => `select count(*)::float8 as count from ${table}`;
