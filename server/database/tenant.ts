export type Scope = { orgId: string; userId: string };

/** Transactions of one organization use this role, which is neither owner nor superuser, so row-level security applies. */
export const tenantRole = 'advisory_chat_tenant';

/** The table privileges of the role. Messages are immutable, so it cannot update them. */
export const tenantPrivileges: Readonly<Record<string, string>> = {
  audit_events: 'insert',
  chat_messages: 'insert, select',
  conversations: 'insert, select, update',
  engagement_states: 'insert, select, update',
  member_token_sums: 'insert, select, update',
  memberships: 'select',
  organization_token_sums: 'insert, select, update',
  organizations: 'select, update',
  token_uses: 'delete, insert, select, update',
  users: 'select, update',
};

/**
 * Declares tenant isolation for an entity that belongs to an organization. The ORM adds the filter to each query and throws
 * if no organization is set. The migrations create the same condition as a row-level security policy, which also covers raw
 * SQL, upserts and inserts.
 */
export function tenantFilter(property: string) {
  return {
    tenant: {
      name: 'tenant',
      default: true,
      cond: ({ orgId }: { orgId?: string }) => {
        if (orgId === undefined) throw new Error('A tenant query requires an organization.');
        return { [property]: orgId };
      },
      rls: { setting: 'advisory_chat.org_id' },
    },
  };
}
