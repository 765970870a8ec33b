import { defineEntity, p } from '@mikro-orm/core';
import { StorableText } from '../storable.ts';

/** A single-use link with which somebody may sign up, or join an organization; only a hash of its token is kept. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  indexes: [{ properties: ['joins'] }, { properties: ['usedBy'] }, { properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary(),
    tokenHash: p.text().unique(),
    /** The organization that its holder joins; null means one of their own. */
    joins: p.text().nullable(),
    note: p.type(StorableText).nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    /** The user who came with it. */
    usedBy: p.text().nullable(),
  },
});
