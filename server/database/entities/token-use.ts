import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilter, tenantRole } from '../tenant.ts';

const { tenant } = tenantFilter('orgId');

/** What one turn counts against its budgets: until it is settled, the most that it may come to. */
export const TokenUse = defineEntity({
  name: 'TokenUse',
  tableName: 'token_uses',
  filters: { tenant: { ...tenant, rls: false } },
  rowLevelSecurity: 'force',
  policies: [
    {
      name: 'token_uses_tenant_policy',
      roles: [tenantRole],
      using: "org_id = current_setting('advisory_chat.org_id')",
    },
  ],
  indexes: [
    { properties: ['userId', 'orgId', 'usedAt'], include: ['tokens'] },
    { properties: ['orgId', 'usedAt'], include: ['tokens'] },
  ],
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    userId: p.text(),
    tokens: p.integer(),
    settled: p.boolean().default(false),
    usedAt: p.datetime(),
  },
});
