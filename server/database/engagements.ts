import type { Onboarding } from '../../shared/onboarding.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { Organization } from './entities/organization.ts';
import { User } from './entities/user.ts';
import type { Orm } from './orm.ts';
import { inOrganization } from './tenant.ts';

export function createEngagements(orm: Orm) {
  return {
    /**
     * Fills the organization, the person's profile and week 1 of the engagement, and lets the person in.
     * Answers false, and changes nothing, where the person is onboarded already.
     */
    begin: ({ orgId, userId }: { orgId: string; userId: string }, { company, profile, engagement }: Onboarding) =>
      inOrganization(orm, orgId, async (em) => {
        const onboarded = await em.nativeUpdate(
          User,
          { id: userId, onboardedAt: null },
          { role: profile.role, onboardedAt: new Date() },
        );
        if (onboarded === 0) return false;
        const { name, industry, size = null } = company;
        await em.nativeUpdate(Organization, { id: orgId }, { name, industry, size });
        await em.upsert(EngagementState, {
          userId,
          orgId,
          week: 1,
          focus: engagement.focus ?? null,
          hypotheses: engagement.hypotheses.map((statement) => ({ statement, status: 'open' as const, evidence: [] })),
          unknowns: engagement.unknowns.map((question) => ({ question })),
          findings: [],
          updatedAt: new Date(),
        });
        return true;
      }),
  };
}
