import { createHash } from 'node:crypto';
import type { JoinQuestion } from '../../../shared/join.ts';
import type { User } from '../../../shared/session.ts';
import { type Client, callFunction } from '../native-client.ts';
import { createId, storableText } from '../values.ts';

export type AuditSource = { requestId: string; addressHash: string };

export type SignInDetails = AuditSource & {
  provider: string;
  subject: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  invitation: string | null;
  maySignUp: boolean;
};

/** `userId` is null if a refused user has no account. */
type SignInResult =
  | {
      person: User;
      action: 'signed-in' | 'signed-up';
      /** True if the invitation is valid and leads to an organization other than the user's. */
      needsConfirmation: boolean;
    }
  | { refusal: 'uninvited' | 'invitation' | 'suspended'; userId: string | null };

/** The database stores only this hash of an invitation's token. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Operations across organizations. Each is one statement that calls a database function. */
export function createUsers(client: Client) {
  return {
    /**
     * Returns the user with this identity. A first sign-in creates the user in the organization of the invitation, or in a new
     * one. If the user is refused, only an audit event is stored. Never moves an existing user to another organization.
     */
    async signIn(details: SignInDetails): Promise<SignInResult> {
      const name = details.name === null ? null : storableText(details.name);
      return callFunction<SignInResult>(client, 'sign_in', {
        account_provider: details.provider,
        // `storableText` could map two subjects to the same text.
        account_subject: details.subject,
        person_name: name,
        person_email: details.email === null ? null : storableText(details.email),
        person_email_verified: details.emailVerified,
        invitation_token_hash: details.invitation === null ? null : tokenHash(details.invitation),
        may_sign_up: details.maySignUp,
        new_user: createId(),
        new_organization: createId(),
        new_organization_name: name === null ? 'New organization' : `${name}’s organization`,
        from_address_hash: details.addressHash,
        request: storableText(details.requestId),
      });
    },

    /** Returns null if the user cannot use the invitation. If `confirmed` names both organizations, they join, which uses it up. */
    async join(
      {
        userId,
        invitation,
        confirmed,
      }: { userId: string; invitation: string; confirmed?: { from: string; to: string } | undefined },
      { addressHash, requestId }: AuditSource,
    ): Promise<JoinQuestion | 'joined' | null> {
      return callFunction<JoinQuestion | 'joined' | null>(client, 'join_organization', {
        person_id: userId,
        invitation_token_hash: tokenHash(invitation),
        from_organization: confirmed === undefined ? null : storableText(confirmed.from),
        to_organization: confirmed === undefined ? null : storableText(confirmed.to),
        from_address_hash: addressHash,
        request: storableText(requestId),
      });
    },

    /** Ends the given session, or all sessions of the user if `sessionId` is null. */
    async signOut(userId: string, sessionId: string | null, { addressHash, requestId }: AuditSource): Promise<void> {
      await callFunction<number>(client, 'end_sessions', {
        person: userId,
        only_session: sessionId,
        from_address_hash: addressHash,
        request: storableText(requestId),
      });
    },
  };
}
