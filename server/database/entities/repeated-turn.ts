import { defineEntity, p } from '@mikro-orm/core';
import { tenantFilter } from '../tenant.ts';

/** The newest attempt at a question that was sent again, whose answer alone is stored. It is of no use after a day. */
export const RepeatedTurn = defineEntity({
  name: 'RepeatedTurn',
  tableName: 'repeated_turns',
  filters: tenantFilter('orgId'),
  rowLevelSecurity: 'force',
  indexes: [{ properties: ['userId', 'orgId'] }],
  properties: {
    question: p.text().primary(),
    orgId: p.text(),
    userId: p.text(),
    attempt: p.text(),
    repeatedAt: p.datetime(),
  },
});
