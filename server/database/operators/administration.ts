import { engagementParts, type EngagementState as State } from '../../engagement/engagement-state.ts';
import { createOperationRunner } from '../audit.ts';
import { getNativeClient } from '../native-client.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { hasPruned, pruneConversations } from '../serving/retention.ts';
import { storableText, storableValue } from '../values.ts';
import { copyInto } from './copy.ts';
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
        const columns = Object.keys(description).map((column) => `${column} = ?`);
        const values = Object.values(description).map(storableValue);
        const statement = `update organizations set ${columns.join(', ')} where id = ? returning id`;
        const changed = await em.execute(statement, [...values, orgId]);
        if (changed.length === 0) throw new Error(`There is no organization ${orgId}.`);
      }),

    setOnboarded: (userId: string, onboarded: boolean) =>
      runOperation(onboarded ? 'onboard' : 'unonboard', userId, (em) =>
        updateUser(em, userId, `onboarded_at = ${onboarded ? 'now()' : 'null'}`),
      ),

    /** Conversations and engagement state remain with the old organization. */
    moveUser: (userId: string, orgId: string) =>
      runOperation('move-user', userId, async (em) => {
        await findUser(em, userId);
        const organizations = await em.execute('select 1 from organizations where id = ?', [orgId]);
        if (organizations.length === 0) throw new Error(`There is no organization ${orgId}.`);
        const scope = [userId, orgId];
        await em.execute('insert into memberships (user_id, org_id) values (?, ?) on conflict do nothing', scope);
        await em.execute('update users set org_id = ? where id = ?', [orgId, userId]);
      }),

    engagementState: (userId: string): Promise<State | null> =>
      runOperation('show-engagement', userId, async (em) => {
        const { orgId } = await findUser(em, userId);
        const [state] = await em.execute<(Omit<State, 'focus'> & { focus: string | null })[]>(
          `select ${engagementParts.join(', ')} from engagement_states where user_id = ? and org_id = ?`,
          [userId, orgId],
        );
        if (state === undefined) return null;
        const { week, focus, ...lists } = state;
        return { week, ...(focus !== null && { focus }), ...lists };
      }),

    setEngagementState: (userId: string, { week, focus, hypotheses, unknowns, findings }: State) =>
      runOperation('set-engagement', userId, async (em) => {
        const { orgId } = await findUser(em, userId);
        const lists = [hypotheses, unknowns, findings].map((list) => JSON.stringify(storableValue(list)));
        await em.execute(
          `insert into engagement_states (user_id, org_id, week, focus, hypotheses, unknowns, findings)
            values (?, ?, ?, ?, ?, ?, ?) on conflict (user_id, org_id) do update
            set week = excluded.week, focus = excluded.focus, hypotheses = excluded.hypotheses,
              unknowns = excluded.unknowns, findings = excluded.findings, updated_at = now()`,
          [userId, orgId, week, focus === undefined ? null : storableText(focus), ...lists],
        );
      }),

    suspendUser: (userId: string) =>
      runOperation('suspend-user', userId, async (em) => {
        await updateUser(em, userId, 'suspended_at = coalesce(suspended_at, now())');
        await endSessions(em, userId);
      }),

    restoreUser: (userId: string) =>
      runOperation('restore-user', userId, (em) => updateUser(em, userId, 'suspended_at = null')),

    signOutUser: (userId: string) =>
      runOperation('sign-out-user', userId, async (em) => {
        await findUser(em, userId);
        return endSessions(em, userId);
      }),

    prune: async (retainDays: number): Promise<number> => {
      const client = await getNativeClient(orm);
      await runOperation('prune', null, async () => {});
      let conversations = 0;
      for (;;) {
        const pruned = await pruneConversations(client, retainDays, operator);
        if (pruned === null) {
          throw new Error(
            `Another process is already deleting old conversations. This command deleted ${conversations} and stopped.`,
          );
        }
        if (!hasPruned(pruned)) return conversations;
        conversations += pruned.conversations;
      }
    },

    copyTo: async (target: Orm) => {
      // Runs outside `runOperation`, whose transaction context would otherwise be applied to the other database.
      const copied = await copyInto(await getNativeClient(orm), target, operator);
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

async function findUser(em: EntityManager, userId: string): Promise<{ orgId: string }> {
  const [user] = await em.execute<{ orgId: string }[]>('select org_id as "orgId" from users where id = ?', [userId]);
  if (user === undefined) throw new Error(`There is no user ${userId}.`);
  return user;
}

async function updateUser(em: EntityManager, userId: string, assignment: string): Promise<void> {
  const changed = await em.execute(`update users set ${assignment} where id = ? returning id`, [userId]);
  if (changed.length === 0) throw new Error(`There is no user ${userId}.`);
}

async function endSessions(em: EntityManager, userId: string): Promise<number> {
  const ended = await em.execute('delete from sessions where user_id = ? returning sid', [userId]);
  return ended.length;
}

export type Administration = ReturnType<typeof createAdministration>;
