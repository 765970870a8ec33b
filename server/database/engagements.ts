import { type InferEntity, LockMode, raw } from '@mikro-orm/core';
import type { Joining, Onboarding } from '../../shared/onboarding.ts';
import { AppError } from '../app-error.ts';
import { maxHypotheses, maxUnknowns } from '../engagement/engagement-state.ts';
import { record } from './audit.ts';
import { EngagementState, Organization, User } from './entities.ts';
import type { EntityManager, Orm } from './orm.ts';
import type { Origin } from './people.ts';
import { inOrganization, type Scope } from './tenant.ts';

/** What onboarding writes, as the tenant role. */
export function createEngagements(orm: Orm) {
  return {
    /**
     * Fills the person's profile and the engagement, lets the person in, and describes the organization where it has no
     * other member. Existing findings of the engagement are kept.
     * Answers false, and changes nothing, where the person is onboarded already.
     * @throws AppError UNAUTHENTICATED where the person has been moved or deleted since their session was read
     */
    begin: (scope: Scope, { profile, engagement, ...form }: Onboarding | Joining, origin: Origin) =>
      inOrganization(orm, scope.orgId, async (em) => {
        // Locked, so that of two people who are onboarded at once one is the first.
        const found = await em.findOne(Organization, { id: scope.orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (found === null || (await em.count(User, { id: scope.userId })) === 0) throw new AppError('UNAUTHENTICATED');
        const introduced: Pick<InferEntity<typeof User>, keyof Onboarding['profile']> = profile;
        const onboarded = await em.nativeUpdate(
          User,
          { id: scope.userId, onboardedAt: null },
          { ...introduced, onboardedAt: raw('now()') },
        );
        if (onboarded === 0) return false;
        const alone = (await em.count(User, { id: { $ne: scope.userId } })) === 0;
        if (alone && 'company' in form) {
          const described: Pick<Organization, keyof Onboarding['company']> = { size: null, ...form.company };
          await em.nativeUpdate(Organization, { id: scope.orgId }, described);
        }
        const row = { ...scope, ...(await merged(em, scope, engagement)), updatedAt: raw('now()') };
        await em.upsert(EngagementState, row);
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
  const grown: Pick<InferEntity<typeof EngagementState>, keyof Onboarding['engagement']> = {
    focus: focus ?? state?.focus ?? null,
    hypotheses: [
      ...known.hypotheses,
      ...newHypotheses.map((statement) => ({ statement, status: 'open' as const, evidence: [] })),
    ].slice(0, maxHypotheses),
    unknowns: [...known.unknowns, ...newUnknowns.map((question) => ({ question }))].slice(0, maxUnknowns),
  };
  return { week: state?.week ?? 1, ...grown, findings: state?.findings ?? [] };
}
