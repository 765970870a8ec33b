import type { EntityManager, Orm } from './orm.ts';
import { tenantRole } from './tenant.ts';

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
const longestForRequests = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

/**
 * Runs `work` in one transaction that sees and writes one organization only.
 * Never await the network in it: the embedded database has a single connection.
 */
export function inOrganization<T>(orm: Orm, orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setFilterParams('tenant', { orgId });
  em.setSessionContext({ role: tenantRole, variables: longestForRequests });
  return em.transactional(work);
}
