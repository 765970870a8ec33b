import { defineEntity, p } from '@mikro-orm/core';

/** The table as `connect-pg-simple` has it; nothing else reads or writes it. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    sid: p.text().primary(),
    sess: p.json().columnType('json'),
    expire: p.datetime().index('sessions_expire_index'),
  },
});
