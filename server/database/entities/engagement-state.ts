import { defineEntity, p } from '@mikro-orm/core';
import type { EngagementState as State } from '../../engagement/engagement-state.ts';
import { StorableJson, StorableText } from '../storable.ts';
import { tenantFilter } from '../tenant.ts';

/** Where the engagement of one person in one organization stands: at most one row per caller. */
export const EngagementState = defineEntity({
  name: 'EngagementState',
  tableName: 'engagement_states',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  properties: {
    userId: p.text().primary(),
    orgId: p.text().primary(),
    week: p.integer(),
    focus: p.type(StorableText).nullable(),
    hypotheses: p.type(StorableJson).$type<State['hypotheses']>(),
    unknowns: p.type(StorableJson).$type<State['unknowns']>(),
    findings: p.type(StorableJson).$type<State['findings']>(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});
