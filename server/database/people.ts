import { createHash } from 'node:crypto';
import type { JoinQuestion } from '../../shared/join.ts';
import type { User } from '../../shared/session.ts';
import { type Client, callFunction } from './client.ts';
import { createId, storableText } from './values.ts';

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
      person: User;
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
