import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EngagementState as State } from '../engagement/engagement-state.ts';
import { tenantFilter } from './tenant.ts';
import { StorableJson, StorableText } from './values.ts';

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

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  rowLevelSecurity: 'force',
  filters: tenantFilter('organization'),
  indexes: [{ properties: ['organization'] }, { properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary(),
    organization: () => p.manyToOne(Organization).joinColumn('org_id'),
    name: p.type(StorableText).nullable(),
    email: p.type(StorableText).nullable(),
    /** Whether the email address counts as verified. Otherwise, it may belong to someone else. */
    emailVerified: p.boolean().default(false),
    role: p.type(StorableText).nullable(),
    onboardedAt: p.datetime().nullable(),
    suspendedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Past memberships are retained, because what a user wrote remains with its organization. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['orgId', 'userId'] }],
  properties: {
    userId: p.text().primary(),
    orgId: p.text().primary(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An account at a sign-in provider. Accounts are never linked by email address. */
export const Identity = defineEntity({
  name: 'Identity',
  tableName: 'identities',
  indexes: [{ properties: ['userId'] }],
  properties: {
    provider: p.text().primary(),
    subject: p.text().primary(),
    userId: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** `sess` is the data of express-session. Sessions are deleted with their user. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  indexes: [{ properties: ['userId'] }],
  properties: {
    sid: p.text().primary(),
    sess: p.json().columnType('json'),
    expire: p.datetime().index('sessions_expire_index'),
    userId: p.text(),
  },
});

/** A single-use link to sign up or to join an organization. Only a hash of its token is stored. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  indexes: [{ properties: ['joins'] }, { properties: ['usedBy'] }, { properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary(),
    tokenHash: p.text().unique(),
    /** The organization to join. Null if the invited user gets an organization of their own. */
    joins: p.text().nullable(),
    note: p.type(StorableText).nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    usedAt: p.datetime().nullable(),
    usedBy: p.text().nullable(),
  },
});

/** An account at a provider that may not sign up again. Only a hash of it is stored. */
export const BlockedAccount = defineEntity({
  name: 'BlockedAccount',
  tableName: 'blocked_accounts',
  properties: {
    accountHash: p.text().primary(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export const EngagementState = defineEntity({
  name: 'EngagementState',
  tableName: 'engagement_states',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  checks: [
    { property: 'week', name: 'engagement_states_week_check', expression: 'week >= 1' },
    ...(['hypotheses', 'unknowns', 'findings'] as const).map((property) => ({
      property,
      name: `engagement_states_${property}_check`,
      expression: `jsonb_typeof(${property}) = 'array'`,
    })),
  ],
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

export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['userId', 'id'] }, { properties: ['createdAt', 'id'] }],
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

/** The token counts, stop reason, model and prompt version are null for a user's message. */
export const ChatMessage = defineEntity({
  name: 'ChatMessage',
  tableName: 'chat_messages',
  rowLevelSecurity: 'force',
  filters: tenantFilter('orgId'),
  indexes: [{ properties: ['conversationId', 'position'] }, { properties: ['requestId'], type: 'hash' }],
  properties: {
    id: p.text().primary(),
    /** Defines the order of messages, because timestamps can be equal. */
    position: p.bigint('number').autoincrement(),
    orgId: p.text(),
    userId: p.text(),
    conversationId: p.text(),
    role: p.enum(['USER', 'ASSISTANT']),
    content: p.type(StorableText),
    requestId: p.type(StorableText),
    inputTokens: p.integer().nullable(),
    outputTokens: p.integer().nullable(),
    cacheReadTokens: p.integer().nullable(),
    cacheCreateTokens: p.integer().nullable(),
    stopReason: p.type(StorableText).nullable(),
    model: p.type(StorableText).nullable(),
    promptVersion: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/**
 * The tokens that a turn counts against its budgets. Until the turn is settled, `tokens` is an estimate that includes the
 * maximum output.
 */
export const TokenUse = defineEntity({
  name: 'TokenUse',
  tableName: 'token_uses',
  filters: tenantFilter('orgId'),
  rowLevelSecurity: 'force',
  indexes: [
    { properties: ['userId', 'orgId', 'usedAt'], include: ['tokens'] },
    { properties: ['orgId', 'usedAt'], include: ['tokens'] },
    { name: 'token_uses_unsettled_index', properties: ['orgId', 'usedAt'], where: 'not settled' },
  ],
  properties: {
    id: p.text().primary(),
    orgId: p.text(),
    userId: p.text(),
    tokens: p.integer(),
    settled: p.boolean().default(false),
    usedAt: p.datetime(),
  },
});

/** The sum of an organization's token uses. Triggers maintain it and the sums of the members. */
export const OrganizationTokenSum = defineEntity({
  name: 'OrganizationTokenSum',
  tableName: 'organization_token_sums',
  filters: tenantFilter('orgId'),
  rowLevelSecurity: 'force',
  properties: {
    orgId: p.text().primary(),
    tokens: p.bigint('number'),
  },
});

export const MemberTokenSum = defineEntity({
  name: 'MemberTokenSum',
  tableName: 'member_token_sums',
  filters: tenantFilter('orgId'),
  rowLevelSecurity: 'force',
  properties: {
    userId: p.text().primary(),
    orgId: p.text().primary(),
    tokens: p.bigint('number'),
  },
});

/** Has no foreign keys, so that events are retained after the users in them are deleted. */
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
    /** A user's id or the operator's name; null if unknown. */
    actor: p.type(StorableText).nullable(),
    subject: p.type(StorableText).nullable(),
    addressHash: p.text().nullable(),
    requestId: p.type(StorableText).nullable(),
    details: p.json().nullable(),
  },
});
