import { type InferEntity, LockMode, raw } from '@mikro-orm/core';
import type { MemberOnboarding, Onboarding } from '../../../shared/onboarding.ts';
import { AppError } from '../../app-error.ts';
import { maxHypotheses, maxUnknowns, readEngagementState } from '../../engagement/engagement-state.ts';
import { recordEvent } from '../audit.ts';
import { EngagementState, Organization, User } from '../entities.ts';
import type { EntityManager, Orm } from '../orm.ts';
import type { Scope } from '../tenant.ts';
import { inOrganization } from '../transactions.ts';
import type { OutageDetector } from './outage.ts';
import type { AuditSource } from './users.ts';

export function createEngagements(orm: Orm, { observe }: Pick<OutageDetector, 'observe'>) {
  const write = <T>(orgId: string, work: (em: EntityManager) => Promise<T>) =>
    observe('write', () => inOrganization(orm, orgId, work));

  return {
    /**
     * Onboards the user: stores profile and engagement, and describes the organization if the user is its only member. Existing
     * entries and the week are preserved. Returns false without changes if the user is already onboarded.
     * @throws AppError UNAUTHENTICATED if the user was moved or deleted after the session was read
     */
    begin: (scope: Scope, { profile, engagement, ...form }: Onboarding | MemberOnboarding, source: AuditSource) =>
      write(scope.orgId, async (em) => {
        // The lock prevents users from joining until the commit, so that the user is still the only member then.
        const found = await em.findOne(Organization, { id: scope.orgId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (found === null || (await em.count(User, { id: scope.userId })) === 0) throw new AppError('UNAUTHENTICATED');
        const profileColumns: Pick<InferEntity<typeof User>, keyof Onboarding['profile']> = profile;
        const onboarded = await em.nativeUpdate(
          User,
          { id: scope.userId, onboardedAt: null },
          { ...profileColumns, onboardedAt: raw('now()') },
        );
        if (onboarded === 0) return false;
        const isOnlyMember = (await em.count(User, { id: { $ne: scope.userId } })) === 0;
        if (isOnlyMember && 'company' in form) {
          const companyColumns: Pick<Organization, keyof Onboarding['company']> = { size: null, ...form.company };
          await em.nativeUpdate(Organization, { id: scope.orgId }, companyColumns);
        }
        const row = { ...scope, ...(await mergeEngagement(em, scope, engagement)), updatedAt: raw('now()') };
        await em.upsert(EngagementState, row);
        await recordEvent(em, { action: 'onboarded', actor: scope.userId, subject: scope.userId, ...source });
        return true;
      }),
  };
}

/** Adds the form's entries to the stored engagement. Existing entries are preserved with their status and evidence. */
async function mergeEngagement(
  em: EntityManager,
  scope: Scope,
  { focus, hypotheses, unknowns }: Onboarding['engagement'],
): Promise<Omit<InferEntity<typeof EngagementState>, keyof Scope | 'updatedAt'>> {
  const state = await em.findOne(EngagementState, scope);
  const { state: known } = readEngagementState(state ?? { week: 1, hypotheses: [], unknowns: [], findings: [] });
  const newHypotheses = hypotheses.filter((text) => !known.hypotheses.some(({ statement }) => statement === text));
  const newUnknowns = unknowns.filter((text) => !known.unknowns.some(({ question }) => question === text));
  const merged: Pick<InferEntity<typeof EngagementState>, keyof Onboarding['engagement']> = {
    focus: focus ?? state?.focus ?? null,
    hypotheses: [
      ...listOrEmpty(state?.hypotheses),
      ...newHypotheses.map((statement) => ({ statement, status: 'open' as const, evidence: [] })),
    ].slice(0, maxHypotheses),
    unknowns: [...listOrEmpty(state?.unknowns), ...newUnknowns.map((question) => ({ question }))].slice(0, maxUnknowns),
  };
  return { week: state?.week ?? 1, ...merged, findings: state?.findings ?? [] };
}

/** Preserves entries that cannot be read. */
function listOrEmpty<Entry>(list: Entry[] | undefined): Entry[] {
  return Array.isArray(list) ? list : [];
}
