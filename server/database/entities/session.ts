import { defineEntity, p } from '@mikro-orm/core';

/** The table as `connect-pg-simple` has it; beside it only `find_session` reads it. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    sid: p.text().primary(),
    sess: p.json().columnType('json'),
    expire: p.datetime().index('sessions_expire_index'),
  },
});
