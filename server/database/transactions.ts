import type { EntityManager, Orm } from './orm.ts';
import { tenantRole } from './tenant.ts';

/**
 * Each transaction sets these, because the server, the database or the login can have other defaults, and poolers reject session
 * settings. The driver parses only ISO dates. With `row_security = off`, PostgreSQL refuses to query the tenants' tables.
 */
const requiredSettings = { row_security: 'on', datestyle: 'ISO, MDY', extra_float_digits: '1' };

/**
 * Runs `work` in one transaction with access to all organizations and with the given settings of PostgreSQL. Only the owner of
 * the tables can do this. Row-level security applies to the owner too, so the transaction sets a variable that the policies
 * check.
 */
export function acrossOrganizations<T>(
  orm: Orm,
  work: (em: EntityManager) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const em = orm.em.fork();
  const access = { 'advisory_chat.across_tenants': 'yes', 'advisory_chat.org_id': '' };
  em.setSessionContext({ variables: { ...requiredSettings, ...settings, ...access } });
  return em.transactional(work);
}

/** These settings end the transaction of a process that has died. Poolers reject them as session settings. */
const transactionTimeouts = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

/** `work` must not await network requests, because the embedded database has a single connection. */
export function inOrganization<T>(orm: Orm, orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
  const em = orm.em.fork();
  em.setFilterParams('tenant', { orgId });
  em.setSessionContext({ role: tenantRole, variables: { ...requiredSettings, ...transactionTimeouts } });
  return em.transactional(work);
}
