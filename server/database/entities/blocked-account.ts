import { defineEntity, p } from '@mikro-orm/core';

/** An account at a provider that may not sign up again; nothing but a hash of it is kept. */
export const BlockedAccount = defineEntity({
  name: 'BlockedAccount',
  tableName: 'blocked_accounts',
  properties: {
    accountHash: p.text().primary(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});
