import { LockMode } from '@mikro-orm/core';
import type { Joining, Onboarding } from '../../shared/onboarding.ts';
import { mostHypotheses, mostUnknowns } from '../engagement/engagement-state.ts';
import { record } from './audit.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { Organization } from './entities/organization.ts';
import { User } from './entities/user.ts';
import type { EntityManager, Orm } from './orm.ts';
import type { Origin } from './people.ts';
import { inOrganization } from './transactions.ts';

type Scope = { orgId: string; userId: string };

export function createEngagements(orm: Orm) {
  return {
    /**
     * Fills the person's profile and the engagement, lets the person in, and describes the organization where it has no
     * other member. What the engagement has learned by then stays as it is.
     * Answers false, and changes nothing, where the person is onboarded already.
     */
    begin: (scope: Scope, { profile, engagement, ...form }: Onboarding | Joining, origin: Origin) =>
      inOrganization(orm, scope.orgId, async (em) => {
        // Locked, so that of two people who are onboarded at once one is the first.
        await em.findOneOrFail(Organization, { id: scope.orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        const onboarded = await em.nativeUpdate(
          User,
          { id: scope.userId, onboardedAt: null },
          { role: profile.role, onboardedAt: new Date() },
        );
        if (onboarded === 0) return false;
        const alone = (await em.count(User, { id: { $ne: scope.userId } })) === 0;
        if (alone && 'company' in form) {
          const { name, industry, size = null } = form.company;
          await em.nativeUpdate(Organization, { id: scope.orgId }, { name, industry, size });
        }
        await em.upsert(EngagementState, { ...scope, ...(await merged(em, scope, engagement)), updatedAt: new Date() });
        await record(em, { action: 'onboarded', actor: scope.userId, subject: scope.userId, ...origin });
        return true;
      }),
  };
}

/** The engagement with what the form adds to it: what is there already has status, evidence and a history. */
async function merged(em: EntityManager, scope: Scope, { focus, hypotheses, unknowns }: Onboarding['engagement']) {
  const state = await em.findOne(EngagementState, scope);
  const known = { hypotheses: state?.hypotheses ?? [], unknowns: state?.unknowns ?? [] };
  const newHypotheses = hypotheses.filter((text) => !known.hypotheses.some(({ statement }) => statement === text));
  const newUnknowns = unknowns.filter((text) => !known.unknowns.some(({ question }) => question === text));
  return {
    week: state?.week ?? 1,
    focus: focus ?? state?.focus ?? null,
    hypotheses: [
      ...known.hypotheses,
      ...newHypotheses.map((statement) => ({ statement, status: 'open' as const, evidence: [] })),
    ].slice(0, mostHypotheses),
    unknowns: [...known.unknowns, ...newUnknowns.map((question) => ({ question }))].slice(0, mostUnknowns),
    findings: state?.findings ?? [],
  };
}
