import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { StorableText } from '../storable.ts';
import { tenantFilter } from '../tenant.ts';

export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  rowLevelSecurity: 'force',
  filters: tenantFilter('id'),
  indexes: [{ properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary(),
    name: p.type(StorableText),
    industry: p.type(StorableText).nullable(),
    size: p.type(StorableText).nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export type Organization = InferEntity<typeof Organization>;
