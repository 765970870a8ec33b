import { setTimeout as delay } from 'node:timers/promises';
import { isLockConflict } from '../../postgres/sql-states.ts';
import { recordEvent } from '../audit.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { hasPruned, type PruneResult } from '../serving/retention.ts';
import { acrossOrganizations } from '../transactions.ts';

/** The maximum number of rows that one transaction deletes, except for users. */
const batchRows = 2_000;
const batchConversations = 100;
const batchUsers = 100;

/** While a transaction waits for a lock, others wait for the locks that it holds. */
const lockTimeout = '1s';
const lockPauseMilliseconds = 500;
const lockAttempts = 20;

type Account = { provider: string; subject: string };

/** How many members of a deleted organization were deleted with it, and how many were moved to another one. */
type MemberCounts = { deleted: number; moved: number };

/**
 * Deletes users and organizations in short transactions, because turns of all organizations wait if the turns of one wait for a
 * lock. First suspends the users and ends their sessions, so that their turns are refused instead of waiting. An interrupted
 * deletion can be run again. The first and the last transaction record an audit event.
 */
export function createDeletion(orm: Orm, operator: string) {
  async function runStep<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await acrossOrganizations(orm, work, { lock_timeout: lockTimeout });
      } catch (error) {
        if (attempts === lockAttempts || !isLockConflict(error)) throw error;
        await delay(lockPauseMilliseconds);
      }
    }
  }

  /** `owners` is a condition on the columns `user_id` and `org_id`. */
  async function deleteContents(owners: string, parameters: readonly string[]): Promise<void> {
    const candidates = `select id from conversations where ${owners} limit ${batchConversations} for update skip locked`;
    for (;;) {
      const deleted = await runStep(async (em) => {
        const statement = `select delete_conversations(array(${candidates}), ${batchRows}) as result`;
        return (await em.execute<{ result: PruneResult }>(statement, parameters, 'get')).result;
      });
      if (!hasPruned(deleted)) break;
    }
    const uses = `select id from token_uses where ${owners} limit ${batchRows} for update skip locked`;
    const deleteUses = (em: EntityManager) =>
      em.execute(`delete from token_uses where id = any (array(${uses})) returning id`, [...parameters]);
    while ((await runStep(deleteUses)).length > 0);
  }

  return {
    /**
     * Also deletes the user's organizations that have no other member. `block` prevents the accounts from signing up again.
     * Returns the accounts, because nothing else identifies them after the deletion.
     */
    async deleteUser(userId: string, { block = false }: { block?: boolean } = {}): Promise<readonly Account[]> {
      const accounts = await runStep(async (em) => {
        const found = await em.execute('select 1 from users where id = ?', [userId]);
        if (found.length === 0) throw new Error(`There is no user ${userId}.`);
        await suspend(em, 'id = ?', [userId]);
        if (block) {
          await em.execute(
            `insert into blocked_accounts (account_hash)
               select encode(sha256(convert_to(provider || ' ' || subject, 'UTF8')), 'hex') from identities where user_id = ?
             on conflict do nothing`,
            [userId],
          );
        }
        await recordEvent(em, { action: 'delete-user', actor: operator, subject: userId });
        return em.execute<Account[]>('select provider, subject from identities where user_id = ?', [userId]);
      });
      await deleteContents('user_id = ?', [userId]);
      await runStep(async (em) => {
        // Locks organizations before users, as joining one does, to prevent deadlocks. The lock also serializes the
        // deletion of an organization's last two members, so that the second one deletes the organization.
        const organizations = await em.execute<{ id: string }[]>(
          `select id from organizations where id in (select org_id from memberships where user_id = ?)
            order by id for update`,
          [userId],
        );
        // Cascades to everything that belongs to the user.
        await em.execute('delete from users where id = ?', [userId]);
        for (const { id } of organizations) await deleteOrganizationIfEmpty(em, id);
        await recordEvent(em, { action: 'deleted-user', actor: operator, subject: userId });
      });
      return accounts;
    },

    /**
     * Also deletes the users who belong to no other organization. The others move to the one that they joined last, if this is
     * their current organization. The result excludes an earlier, interrupted call.
     */
    async deleteOrganization(orgId: string): Promise<MemberCounts> {
      let deleted = 0;
      let moved = await runStep(async (em) => {
        await lockOrganization(em, orgId);
        await em.execute('delete from invitations where joins = ?', [orgId]);
        await recordEvent(em, { action: 'delete-organization', actor: operator, subject: orgId });
        return moveMembers(em, orgId, 'select id from users where org_id = ?', [orgId]);
      });
      const active = `id in (select id from users where org_id = ? and suspended_at is null limit ${batchUsers})`;
      while ((await runStep((em) => suspend(em, active, [orgId]))) > 0);

      for (;;) {
        const members = await runStep((em) =>
          em.execute<{ user_id: string }[]>(
            `select user_id from memberships where org_id = ? order by user_id limit ${batchUsers}`,
            [orgId],
          ),
        );
        const ids = JSON.stringify(members.map(({ user_id }) => user_id));
        const listed = 'array(select json_array_elements_text(?::json))';
        await deleteContents(`org_id = ? and user_id = any (${listed})`, [orgId, ids]);
        const isDone = await runStep(async (em) => {
          await lockOrganization(em, orgId);
          // An operator may have moved users into the organization in the meantime.
          moved += await moveMembers(em, orgId, `select id from users where org_id = ? and id = any (${listed})`, [
            orgId,
            ids,
          ]);
          const users = await em.execute(`delete from users where org_id = ? and id = any (${listed}) returning id`, [
            orgId,
            ids,
          ]);
          deleted += users.length;
          // `deleteContents` has already deleted the messages that users of other organizations wrote in this one.
          await em.execute(`delete from memberships where org_id = ? and user_id = any (${listed})`, [orgId, ids]);
          if (!(await deleteOrganizationIfEmpty(em, orgId))) return false;
          await recordEvent(em, { action: 'deleted-organization', actor: operator, subject: orgId });
          return true;
        });
        if (isDone) return { deleted, moved };
      }
    },
  };
}

/** The lock prevents new members from joining. */
async function lockOrganization(em: EntityManager, orgId: string): Promise<void> {
  const found = await em.execute('select 1 from organizations where id = ? for update', [orgId]);
  if (found.length === 0) throw new Error(`There is no organization ${orgId}.`);
}

/** Suspends users and ends their sessions. Returns the number of users who were not suspended before. */
async function suspend(em: EntityManager, condition: string, parameters: readonly string[]): Promise<number> {
  const suspended = await em.execute<{ id: string }[]>(
    `update users set suspended_at = now() where ${condition} and suspended_at is null returning id`,
    [...parameters],
  );
  const ids = JSON.stringify(suspended.map(({ id }) => id));
  await em.execute('delete from sessions where user_id = any (array(select json_array_elements_text(?::json)))', [ids]);
  return suspended.length;
}

/** Moves those of `users` who also belong to another organization to the one that they joined last. Returns their number. */
async function moveMembers(
  em: EntityManager,
  orgId: string,
  users: string,
  parameters: readonly string[],
): Promise<number> {
  const moved = await em.execute(
    `update users set org_id = other.org_id
       from (select distinct on (user_id) user_id, org_id from memberships
              where org_id <> ? and user_id in (${users})
              order by user_id, created_at desc) other
      where users.id = other.user_id returning users.id`,
    [orgId, ...parameters],
  );
  return moved.length;
}

/** Deletes the organization if it has no members. Returns whether it did. */
async function deleteOrganizationIfEmpty(em: EntityManager, orgId: string): Promise<boolean> {
  const members = await em.execute('select 1 from memberships where org_id = ? limit 1', [orgId]);
  if (members.length > 0) return false;
  await em.execute('delete from organization_token_sums where org_id = ?', [orgId]);
  await em.execute('delete from organizations where id = ?', [orgId]);
  return true;
}
