import { randomBytes } from 'node:crypto';
import { Invitation } from './entities/invitation.ts';
import { Organization } from './entities/organization.ts';
import { createId } from './ids.ts';
import type { Listing, Part } from './listing.ts';
import type { Operation } from './operation.ts';
import { tokenHash } from './people.ts';
import { acrossTenants } from './tenant.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

export type Invited = {
  id: string;
  note: string | null;
  /** The organization that its holder joins; null means one of their own. */
  organization: { id: string; name: string } | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  /** The id of the user who came with it. */
  usedBy: string | null;
};

export function createInvitations(operation: Operation, pages: Listing) {
  return {
    /** Makes an invitation for `days` days. Its token is given here and never again: only a hash of it is stored. */
    invite: (options: { organization?: string | undefined; days: number; note?: string | undefined }) => {
      const id = createId();
      return operation('invite', id, async (em) => {
        const { organization = null, days, note = null } = options;
        if (organization !== null && (await em.count(Organization, { id: organization }, acrossTenants)) === 0) {
          throw new Error(`There is no organization ${organization}.`);
        }
        const token = randomBytes(32).toString('base64url');
        const expiresAt = new Date(Date.now() + days * dayMilliseconds);
        await em.insert(Invitation, { id, tokenHash: tokenHash(token), joins: organization, note, expiresAt });
        return { id, token, expiresAt };
      });
    },

    /** All that were not revoked, the newest first, in pages. */
    listInvitations: (part?: Part) =>
      pages<Invited>(
        {
          action: 'list-invitations',
          table: 'invitations',
          called: 'invitation',
          newestFirst: true,
          columns: `invitations.id, note, invitations.created_at as "createdAt", expires_at as "expiresAt",
            used_at as "usedAt", used_by as "usedBy",
            (select json_build_object('id', joins, 'name', name) from organizations where id = joins) as organization`,
          from: 'invitations',
        },
        part,
      ),

    /** Takes an invitation back. A person who has used it stays. */
    revokeInvitation: (id: string) =>
      operation('revoke-invitation', id, async (em) => {
        const deleted = await em.nativeDelete(Invitation, { id });
        if (deleted === 0) throw new Error(`There is no invitation ${id}.`);
      }),
  };
}
