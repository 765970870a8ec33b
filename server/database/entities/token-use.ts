import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilter } from '../tenant.ts';

/** What one turn counts against its budgets: until it is settled, the most that it may come to. */
export const TokenUse = defineEntity({
  name: 'TokenUse',
  tableName: 'token_uses',
  filters: tenantFilter('orgId'),
  rowLevelSecurity: 'force',
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
