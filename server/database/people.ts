import { createHash } from 'node:crypto';
import { type InferEntity, LockMode, raw } from '@mikro-orm/core';
import type { JoinQuestion } from '../../shared/join.ts';
import type { Joining, Onboarding } from '../../shared/onboarding.ts';
import { AppError } from '../app-error.ts';
import { maxHypotheses, maxUnknowns } from '../engagement/engagement-state.ts';
import { record } from './audit.ts';
import { type Client, callFunction } from './client.ts';
import { EngagementState, Organization, User } from './entities.ts';
import type { EntityManager, Orm } from './orm.ts';
import { inOrganization } from './tenant.ts';
import { createId, storableText } from './values.ts';

export type Person = {
  id: string;
  name: string | null;
  email: string | null;
  onboarded: boolean;
  /** `shared` while the person is not onboarded and others are in it. */
  organization: { id: string; name: string; shared?: true };
};

/** Where a request came from, as the trail keeps it. */
export type Origin = { requestId: string; addressHash: string };

/** Somebody who has come back from a provider. */
export type Arrival = Origin & {
  provider: string;
  /** Who they are there. */
  subject: string;
  name: string | null;
  email: string | null;
  /** Whether the provider has verified the address. */
  emailVerified: boolean;
  /** The token of the invitation that they hold, if any. */
  invitation: string | null;
  /** Whether they may sign up without an invitation. */
  maySignUp: boolean;
};

/** Who it is and what became of it; or why they are not let in, with the id of the person if that is known. */
export type SignedIn =
  | {
      person: Person;
      action: 'signed-in' | 'signed-up';
      /** Their invitation is valid, and leads to another organization than theirs. */
      asks: boolean;
    }
  | { refusal: 'uninvited' | 'invitation' | 'suspended'; userId: string | null };

/** What the database keeps of an invitation's token. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Finds people before their organization is known. Each call is one statement: a function of the migrations. */
export function createPeople(client: Client) {
  return {
    /**
     * The person with this identity. At a first sign-in a person who may sign up gets an organization of their own, or
     * joins the one that their invitation names. Nothing is stored of a person who may not. Nobody who has an account is moved.
     */
    async signIn(arrival: Arrival): Promise<SignedIn> {
      const name = arrival.name === null ? null : storableText(arrival.name);
      return callFunction<SignedIn>(client, 'sign_in', {
        account_provider: arrival.provider,
        // As it is: two people must not become one by what PostgreSQL cannot hold.
        account_subject: arrival.subject,
        person_name: name,
        person_email: arrival.email === null ? null : storableText(arrival.email),
        person_email_verified: arrival.emailVerified,
        invitation_token_hash: arrival.invitation === null ? null : tokenHash(arrival.invitation),
        may_sign_up: arrival.maySignUp,
        new_user: createId(),
        new_organization: createId(),
        new_organization_name: name === null ? 'New organization' : `${name}'s organization`,
        from_address_hash: arrival.addressHash,
        request: storableText(arrival.requestId),
      });
    },

    /**
     * The organization of the person and that of their invitation; null where the invitation is not valid. Where `named`
     * are both as they are, the person joins, and the invitation is used up.
     */
    async join(
      {
        userId,
        invitation,
        named,
      }: { userId: string; invitation: string; named?: { from: string; to: string } | undefined },
      { addressHash, requestId }: Origin,
    ): Promise<JoinQuestion | 'joined' | null> {
      return callFunction<JoinQuestion | 'joined' | null>(client, 'join_organization', {
        person_id: userId,
        invitation_token_hash: tokenHash(invitation),
        from_organization: named === undefined ? null : storableText(named.from),
        to_organization: named === undefined ? null : storableText(named.to),
        from_address_hash: addressHash,
        request: storableText(requestId),
      });
    },

    /** Ends one session of the person, or all of them where none is named. */
    async signOut(userId: string, sessionId: string | null, { addressHash, requestId }: Origin): Promise<void> {
      await callFunction<number>(client, 'end_sessions', {
        person: userId,
        only_session: sessionId,
        from_address_hash: addressHash,
        request: storableText(requestId),
      });
    },
  };
}

type Scope = { orgId: string; userId: string };

/** What onboarding writes, as the tenant role. */
export function createEngagements(orm: Orm) {
  return {
    /**
     * Fills the person's profile and the engagement, lets the person in, and describes the organization where it has no
     * other member. What the engagement has learned by then stays as it is.
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
