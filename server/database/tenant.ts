import type { EntityManager, Orm } from './orm.ts';

/** Whose data it is: a person's, in one organization. */
export type Scope = { orgId: string; userId: string };

/** The role that tenant work runs as: neither owner nor superuser, so it cannot bypass row-level security. */
export const tenantRole = 'advisory_chat_tenant';

/** What the migrations have granted it, and nothing else: no update of messages, whose role and content are fixed when written. */
export const tenantRights: Readonly<Record<string, string>> = {
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
 * The one declaration of tenant isolation, for every entity that belongs to an organization.
 * The ORM adds it to each query it builds and refuses to build one without an organization; the migration has the same
 * condition as a row-level security policy, which also covers what the ORM does not filter (raw SQL, upserts, inserts).
 */
export function tenantFilter(property: string) {
  return {
    tenant: {
      name: 'tenant',
      default: true,
      cond: ({ orgId }: { orgId?: string }) => {
        if (orgId === undefined) throw new Error('A tenant query needs an organization.');
        return { [property]: orgId };
      },
      rls: { setting: 'advisory_chat.org_id' },
    },
  };
}

/** For work that no organization owns (the operator's commands): a query says so by naming this. */
export const acrossTenants = { filters: { tenant: false } } as const;

/**
 * Runs `work` in one transaction that sees and writes every organization. Only the owner may do this. Row security binds
 * the owner too, so the transaction has to ask for it.
 */
export function acrossOrganizations<T>(orm: Orm, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setSessionContext({ variables: { 'advisory_chat.across_tenants': 'yes', 'advisory_chat.org_id': '' } });
  return em.transactional(work);
}

/**
 * The server's own limits to a transaction of a request, where the process is not there any more to end it. They come with
 * what the transaction sets anyway, because poolers refuse them as settings of a session.
 */
const timeoutsForRequests = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

/**
 * Runs `work` in one transaction that sees and writes one organization only.
 * Never await the network in it: the embedded database has a single connection.
 */
export function inOrganization<T>(orm: Orm, orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setFilterParams('tenant', { orgId });
  em.setSessionContext({ role: tenantRole, variables: timeoutsForRequests });
  return em.transactional(work);
}
