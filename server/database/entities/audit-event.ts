import { defineEntity, p } from '@mikro-orm/core';
import { StorableText } from '../storable.ts';

/** One line of the trail: who did what to which person, when and from where. It stays after those people are deleted. */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  indexes: [
    { properties: ['subject', 'position'] },
    { properties: ['createdAt'] },
    { properties: ['requestId'], type: 'hash' },
  ],
  properties: {
    position: p.bigint('number').primary().autoincrement(),
    createdAt: p.datetime().defaultRaw('now()'),
    action: p.text(),
    /** A user's id, or the operator's name on their machine; null where nobody is known. */
    actor: p.type(StorableText).nullable(),
    /** The id of the user, organization or invitation that it was done to. */
    subject: p.type(StorableText).nullable(),
    addressHash: p.text().nullable(),
    requestId: p.type(StorableText).nullable(),
    details: p.json().nullable(),
  },
});
