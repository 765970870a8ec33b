import { defineEntity, p } from '@mikro-orm/core';
import { StorableText } from '../storable.ts';
import { tenantFilter } from '../tenant.ts';
import { Organization } from './organization.ts';

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  rowLevelSecurity: 'force',
  filters: tenantFilter('organization'),
  indexes: [{ properties: ['organization'] }, { properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary(),
    organization: () => p.manyToOne(Organization).joinColumn('org_id'),
    name: p.type(StorableText).nullable(),
    email: p.type(StorableText).nullable(),
    /** Whether the provider has verified the address: without it anybody may have claimed it. */
    emailVerified: p.boolean().default(false),
    role: p.type(StorableText).nullable(),
    onboardedAt: p.datetime().nullable(),
    suspendedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/**
 * A person's belonging to an organization, past or present. What they wrote stays tied to the organization that it was
 * written in, also after an operator has moved them to another one.
 */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['orgId', 'userId'] }],
  properties: {
    userId: p.text().primary(),
    orgId: p.text().primary(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Who someone is at a sign-in provider. Accounts are never joined by e-mail. */
export const Identity = defineEntity({
  name: 'Identity',
  tableName: 'identities',
  indexes: [{ properties: ['userId'] }],
  properties: {
    provider: p.text().primary(),
    subject: p.text().primary(),
    userId: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
