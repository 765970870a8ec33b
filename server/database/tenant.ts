import type { EntityManager, Orm } from './orm.ts';

/** Identifies the data of one user in one organization. */
export type Scope = { orgId: string; userId: string };

/** Transactions of one organization use this role, which is neither owner nor superuser, so row-level security applies. */
export const tenantRole = 'advisory_chat_tenant';

/** All privileges of the role. Messages are immutable, so it cannot update them. */
export const tenantPrivileges: Readonly<Record<string, string>> = {
  audit_events: 'insert',
  chat_messages: 'insert, select',
  conversations: 'insert, select, update',
  engagement_states: 'insert, select, update',
  memberships: 'select',
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

/** Disables the tenant filter in queries of operator commands. */
export const acrossTenants = { filters: { tenant: false } } as const;

/**
 * Runs `work` in one transaction with access to all organizations. Only the owner of the tables can do this. Row-level
 * security applies to the owner too, so the transaction sets a variable that the policies check.
 */
export function acrossOrganizations<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setSessionContext({ variables: { 'advisory_chat.across_tenants': 'yes', 'advisory_chat.org_id': '' } });
  return em.transactional(work);
}

/**
 * Makes the server end a request's transaction if the process has died. They are set per transaction, because poolers refuse
 * them as session settings.
 */
const transactionTimeouts = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

/**
 * Runs `work` in one transaction with access to one organization. `work` must not await network requests, because the embedded
 * database has a single connection.
 */
export function inOrganization<T>(orm: Orm, orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setFilterParams('tenant', { orgId });
  em.setSessionContext({ role: tenantRole, variables: transactionTimeouts });
  return em.transactional(work);
}
