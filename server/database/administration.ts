import type { EngagementState as State } from '../engagement/engagement-state.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { Organization } from './entities/organization.ts';
import { Membership, User } from './entities/user.ts';
import type { Orm } from './orm.ts';
import { acrossTenants, inOrganization } from './tenant.ts';

type OrganizationRow = { id: string; name: string; industry: string | null; users: number };

type TokensUsed = { orgId: string; userId: string; tokens: number };

/** What the specification calls direct writes: the operator's, across organizations. */
export function createAdministration(orm: Orm) {
  const findUser = async (userId: string) => {
    const user = await orm.em.fork().findOne(User, { id: userId }, { ...acrossTenants, populate: ['organization'] });
    if (user === null) throw new Error(`There is no user ${userId}.`);
    return user;
  };

  return {
    async listUsers() {
      const users = await orm.em
        .fork()
        .findAll(User, { ...acrossTenants, populate: ['organization'], orderBy: { createdAt: 'asc', id: 'asc' } });
      return users.map(({ id, name, email, onboardedAt, organization }) => ({
        id,
        name,
        email,
        onboardedAt,
        organization: { id: organization.id, name: organization.name },
      }));
    },

    /** With the number of users whose present organization each is. */
    async listOrganizations() {
      const rows = await orm.em.fork().execute<OrganizationRow[]>(
        `select organizations.id, organizations.name, industry, count(users.id)::int as users
           from organizations left join users on users.org_id = organizations.id
          group by organizations.id order by organizations.created_at, organizations.id`,
      );
      return rows.map(({ id, name, industry, users }) => ({ id, name, industry, users }));
    },

    /** What each person's turns in the trailing 24 hours have used, in each organization. */
    async tokensUsed(): Promise<TokensUsed[]> {
      return orm.em.fork().execute<TokensUsed[]>(
        `select organizations.id as "orgId", user_id as "userId", tokens::float8 as tokens
           from organizations, tokens_used(organizations.id)`,
      );
    },

    /** Marks a user as onboarded now, or as not onboarded. */
    async setOnboarded(userId: string, onboarded: boolean) {
      const { id } = await findUser(userId);
      await orm.em.fork().nativeUpdate(User, { id }, { onboardedAt: onboarded ? new Date() : null }, acrossTenants);
    },

    /** The user leaves everything they wrote with their old organization, and starts without an engagement state. */
    async moveUser(userId: string, orgId: string) {
      const { id } = await findUser(userId);
      await orm.em.fork().transactional(async (em) => {
        const organization = await em.findOne(Organization, { id: orgId }, acrossTenants);
        if (organization === null) throw new Error(`There is no organization ${orgId}.`);
        await em.upsert(Membership, { userId: id, orgId }, { ...acrossTenants, onConflictAction: 'ignore' });
        await em.nativeUpdate(User, { id }, { organization: orgId }, acrossTenants);
      });
    },

    /** The state of the user's engagement in their present organization, or null where there is none yet. */
    async engagementState(userId: string): Promise<State | null> {
      const user = await findUser(userId);
      return inOrganization(orm, user.organization.id, async (em) => {
        const row = await em.findOne(EngagementState, { userId: user.id, orgId: user.organization.id });
        if (row === null) return null;
        const { week, focus, hypotheses, unknowns, findings } = row;
        return { week, ...(focus !== null && { focus }), hypotheses, unknowns, findings };
      });
    },

    /** Writes the whole state of the user's engagement in their present organization. */
    async setEngagementState(userId: string, state: State) {
      const user = await findUser(userId);
      const orgId = user.organization.id;
      const { focus = null, ...rest } = state;
      await inOrganization(orm, orgId, (em) =>
        em.upsert(EngagementState, { userId: user.id, orgId, focus, ...rest, updatedAt: new Date() }),
      );
    },

    /** Deletes a user with everything they wrote, and the organizations that nobody belongs to any more. */
    async deleteUser(userId: string) {
      const { id } = await findUser(userId);
      await orm.em.fork().transactional(async (em) => {
        const memberships = await em.find(Membership, { userId: id }, acrossTenants);
        // The schema cascades: memberships, identities, engagement states, conversations and their messages.
        await em.nativeDelete(User, { id }, acrossTenants);
        for (const { orgId } of memberships) {
          const members = await em.count(Membership, { orgId }, acrossTenants);
          if (members === 0) await em.nativeDelete(Organization, { id: orgId }, acrossTenants);
        }
      });
    },
  };
}
