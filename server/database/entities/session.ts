import { defineEntity, p } from '@mikro-orm/core';

/** The table as `connect-pg-simple` has it, and whose session each is, so that it goes with its person. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  indexes: [{ properties: ['userId'] }],
  properties: {
    sid: p.text().primary(),
    sess: p.json().columnType('json'),
    expire: p.datetime().index('sessions_expire_index'),
    userId: p.text().nullable(),
  },
});
