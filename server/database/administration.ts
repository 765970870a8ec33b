import type { EngagementState as State } from '../engagement/engagement-state.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { Organization } from './entities/organization.ts';
import { Membership, User } from './entities/user.ts';
import { createInvitations } from './invitations.ts';
import { createOperation } from './operation.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations, acrossTenants } from './tenant.ts';

type OrganizationRow = { id: string; name: string; industry: string | null; users: number };

type TokensUsed = { orgId: string; userId: string; tokens: number };

type UserRow = {
  id: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  /** Where they sign in, and who they are there. */
  provider: string;
  subject: string;
  onboardedAt: Date | null;
  suspendedAt: Date | null;
  organization: { id: string; name: string };
};

/** What the specification calls direct writes: the operator's, across organizations. `operator` is who the trail names. */
export function createAdministration(orm: Orm, operator: string) {
  const operation = createOperation(orm, operator);

  return {
    ...createInvitations(operation),

    /** Everybody, by the account that they sign in with: two people may claim one name and one address. */
    listUsers: () =>
      operation('list-users', null, (em) =>
        em.execute<UserRow[]>(
          `select users.id, users.name, email, email_verified as "emailVerified", provider, subject,
                  onboarded_at as "onboardedAt", suspended_at as "suspendedAt",
                  json_build_object('id', org_id, 'name', organizations.name) as organization
             from users join organizations on organizations.id = org_id join identities on user_id = users.id
            order by users.created_at, users.id`,
        ),
      ),

    /** With the number of users whose present organization each is. */
    listOrganizations: () =>
      operation('list-organizations', null, async (em) => {
        const rows = await em.execute<OrganizationRow[]>(
          `select organizations.id, organizations.name, industry, count(users.id)::int as users
             from organizations left join users on users.org_id = organizations.id
            group by organizations.id order by organizations.created_at, organizations.id`,
        );
        return rows.map(({ id, name, industry, users }) => ({ id, name, industry, users }));
      }),

    /** Says what an organization is, where no only member is left to say it. What is undefined stays as it is. */
    describeOrganization: (orgId: string, description: { name?: string; industry?: string; size?: string }) =>
      operation('describe-organization', orgId, async (em) => {
        const changed = await em.nativeUpdate(Organization, { id: orgId }, description, acrossTenants);
        if (changed === 0) throw new Error(`There is no organization ${orgId}.`);
      }),

    /** What each person's turns in the trailing 24 hours have used, in each organization. */
    tokensUsed: () =>
      acrossOrganizations(orm, (em) =>
        em.execute<TokensUsed[]>(
          `select org_id as "orgId", user_id as "userId", sum(tokens)::float8 as tokens
             from token_uses where used_at > now() - interval '24 hours' group by org_id, user_id`,
        ),
      ),

    /** Marks a user as onboarded now, or as not onboarded. */
    setOnboarded: (userId: string, onboarded: boolean) =>
      operation(onboarded ? 'onboard' : 'unonboard', userId, async (em) => {
        await findUser(em, userId);
        const onboardedAt = onboarded ? new Date() : null;
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
        const row = { ...scope, ...state, focus: focus ?? null, updatedAt: new Date() };
        await em.upsert(EngagementState, row, acrossTenants);
      }),

    /** Ends every session of the user at once, and refuses their sign-in until they are restored. */
    suspendUser: (userId: string) =>
      operation('suspend-user', userId, async (em) => {
        await findUser(em, userId);
        await em.nativeUpdate(User, { id: userId, suspendedAt: null }, { suspendedAt: new Date() }, acrossTenants);
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
        const memberships = await em.find(Membership, { userId }, acrossTenants);
        // The schema cascades: sessions, memberships, identities, engagement states, conversations and their messages.
        await em.nativeDelete(User, { id: userId }, acrossTenants);
        for (const { orgId } of memberships) {
          const members = await em.count(Membership, { orgId }, acrossTenants);
          if (members === 0) await em.nativeDelete(Organization, { id: orgId }, acrossTenants);
        }
      }),

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
