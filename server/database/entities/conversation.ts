import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilter } from '../tenant.ts';

export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['userId', 'orgId'] }, { properties: ['createdAt', 'id'] }],
  uniques: [{ name: 'conversations_owner_unique', properties: ['id', 'userId', 'orgId'] }],
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    userId: p.text(),
    status: p.enum(['ACTIVE', 'ARCHIVED']).default('ACTIVE'),
    lastMessageAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
