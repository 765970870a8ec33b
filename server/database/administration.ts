import { raw } from '@mikro-orm/core';
import type { EngagementState as State } from '../engagement/engagement-state.ts';
import { createOperation, record } from './audit.ts';
import { type Client, nativeClient } from './client.ts';
import { createDirectory, createRequestSearch } from './directory.ts';
import { EngagementState, Membership, Organization, User } from './entities.ts';
import { createExports } from './exports.ts';
import { findPending } from './migrate.ts';
import type { EntityManager, Orm } from './orm.ts';
import { createPrune } from './retention.ts';
import { acrossOrganizations, acrossTenants } from './tenant.ts';

/** What the specification calls direct writes: the operator's, across organizations. `operator` is who the trail names. */
export function createAdministration(orm: Orm, operator: string) {
  const operation = createOperation(orm, operator);

  return {
    ...createDirectory(operation),
    ...createRequestSearch(operation),
    ...createExports(orm, operation),

    /** Says what an organization is, where no only member is left to say it. What is undefined stays as it is. */
    describeOrganization: (orgId: string, description: { name?: string; industry?: string; size?: string }) =>
      operation('describe-organization', orgId, async (em) => {
        const changed = await em.nativeUpdate(Organization, { id: orgId }, description, acrossTenants);
        if (changed === 0) throw new Error(`There is no organization ${orgId}.`);
      }),

    /** Marks a user as onboarded now, or as not onboarded. */
    setOnboarded: (userId: string, onboarded: boolean) =>
      operation(onboarded ? 'onboard' : 'unonboard', userId, async (em) => {
        await findUser(em, userId);
        const onboardedAt = onboarded ? raw('now()') : null;
        await em.nativeUpdate(User, { id: userId }, { onboardedAt }, acrossTenants);
      }),

    /** The user leaves everything they wrote with their old organization, and starts without an engagement state. */
    moveUser: (userId: string, orgId: string) =>
      operation('move-user', userId, async (em) => {
        await findUser(em, userId);
        const organization = await em.findOne(Organization, { id: orgId }, acrossTenants);
        if (organization === null) throw new Error(`There is no organization ${orgId}.`);
        await em.upsert(Membership, { userId, orgId }, { ...acrossTenants, onConflictAction: 'ignore' });
        await em.nativeUpdate(User, { id: userId }, { organization: orgId }, acrossTenants);
      }),

    /** The state of the user's engagement in their present organization, or null where there is none yet. */
    engagementState: (userId: string): Promise<State | null> =>
      operation('show-engagement', userId, async (em) => {
        const user = await findUser(em, userId);
        const scope = { userId, orgId: user.organization.id };
        const row = await em.findOne(EngagementState, scope, acrossTenants);
        if (row === null) return null;
        const { week, focus, hypotheses, unknowns, findings } = row;
        return { week, ...(focus !== null && { focus }), hypotheses, unknowns, findings };
      }),

    /** Writes the whole state of the user's engagement in their present organization. */
    setEngagementState: (userId: string, { focus, ...state }: State) =>
      operation('set-engagement', userId, async (em) => {
        const user = await findUser(em, userId);
        const scope = { userId, orgId: user.organization.id };
        const row = { ...scope, ...state, focus: focus ?? null, updatedAt: raw('now()') };
        await em.upsert(EngagementState, row, acrossTenants);
      }),

    /** Ends every session of the user at once, and refuses their sign-in until they are restored. */
    suspendUser: (userId: string) =>
      operation('suspend-user', userId, async (em) => {
        await findUser(em, userId);
        await em.nativeUpdate(User, { id: userId, suspendedAt: null }, { suspendedAt: raw('now()') }, acrossTenants);
        await endSessions(em, userId);
      }),

    restoreUser: (userId: string) =>
      operation('restore-user', userId, async (em) => {
        await findUser(em, userId);
        await em.nativeUpdate(User, { id: userId }, { suspendedAt: null }, acrossTenants);
      }),

    /** Signs the user out everywhere; they may sign in again. */
    signOutUser: (userId: string) =>
      operation('sign-out-user', userId, async (em) => {
        await findUser(em, userId);
        return endSessions(em, userId);
      }),

    /**
     * Deletes a user with everything they wrote, and the organizations that nobody belongs to any more. With `block` the
     * account at the provider cannot sign up again.
     */
    deleteUser: (userId: string, { block = false }: { block?: boolean } = {}) =>
      operation('delete-user', userId, async (em) => {
        await findUser(em, userId);
        if (block) {
          await em.execute(
            `insert into blocked_accounts (account_hash)
               select encode(sha256(convert_to(provider || ' ' || subject, 'UTF8')), 'hex') from identities where user_id = ?
             on conflict do nothing`,
            [userId],
          );
        }
        // In the order of deleteOrganization: organizations before users. The last two members of one that are deleted at
        // the same time take it with them.
        const organizations = await em.execute<{ id: string }[]>(
          `select id from organizations where id in (select org_id from memberships where user_id = ?)
            order by id for update`,
          [userId],
        );
        // The schema cascades: sessions, memberships, identities, engagement states, conversations and their messages.
        await em.nativeDelete(User, { id: userId }, acrossTenants);
        for (const { id: orgId } of organizations) {
          const members = await em.count(Membership, { orgId }, acrossTenants);
          if (members === 0) await em.nativeDelete(Organization, { id: orgId }, acrossTenants);
        }
      }),

    /**
     * Deletes an organization with everything that was written in it, and those people who belong to no other one. The others
     * whose present organization it is are in the one that they joined last. Gives how many of each there were.
     */
    deleteOrganization: (orgId: string) =>
      operation('delete-organization', orgId, async (em) => {
        // Nobody joins it from here on.
        const found = await em.execute('select 1 from organizations where id = ? for update', [orgId]);
        if (found.length === 0) throw new Error(`There is no organization ${orgId}.`);
        const moved = await em.execute(
          `update users set org_id = other.org_id
             from (select distinct on (user_id) user_id, org_id from memberships
                    where org_id <> ? and user_id in (select id from users where org_id = ?)
                    order by user_id, created_at desc) other
            where users.id = other.user_id returning users.id`,
          [orgId, orgId],
        );
        const deleted = await em.execute('delete from users where org_id = ? returning id', [orgId]);
        // What it has left of people who are elsewhere goes with their membership.
        await em.execute('delete from memberships where org_id = ?', [orgId]);
        await em.execute('delete from organizations where id = ?', [orgId]);
        return { deleted: deleted.length, moved: moved.length };
      }),

    /** Deletes the conversations whose last message is more than `retainDays` old, batch by batch, and gives their number. */
    prune: async (retainDays: number): Promise<number> => {
      const prune = createPrune(await nativeClient(orm));
      await operation('prune', null, async () => {});
      let conversations = 0;
      for (;;) {
        const pruned = await prune(retainDays, operator);
        if (pruned === null) {
          throw new Error(`Another process is deleting old conversations now; ${conversations} were deleted here.`);
        }
        if (pruned === 0) return conversations;
        conversations += pruned;
      }
    },

    /** Copies everything into an empty database, and gives how many rows each table has. @throws as `copyInto` does */
    copyTo: async (target: Orm) => {
      // Not within the operation: a transaction of one database would get what is meant for the other.
      const copied = await copyInto(await nativeClient(orm), target, operator);
      await operation('copy-to', null, async () => {});
      return copied;
    },

    /** Lets an account that was blocked sign up again. */
    unblockAccount: (provider: string, subject: string) =>
      operation('unblock-account', null, async (em) => {
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

/** Every table but that of the migrations, each after those that its rows refer to. */
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
async function copyInto(source: Client, target: Orm, operator: string): Promise<Record<Table, number>> {
  const pending = await findPending(target);
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
