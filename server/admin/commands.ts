import { pages } from '../../shared/interface.ts';
import { type Command, UsageError } from './command.ts';
import { applyChanges, readChanges } from './engagement-changes.ts';
import { table } from './table.ts';
import { tokensLeftCell, tokensLeftHeading, withTokensLeft } from './tokens-left.ts';

/** The operator's direct writes, by the name of their command. */
export const commands: Readonly<Record<string, Command>> = {
  'list-users': {
    operands: [],
    options: ['json'],
    help: `Everyone who has signed in, by the account that they sign in with, with the ids of the user and of their
organization. Whoever claims an e-mail address that the provider has not verified may be somebody else. Where
TOKENS_PER_DAY_USER is set, also what is left of it.`,
    async run(administration, _operands, { json }, _publicUrl, { user: budget } = {}) {
      const users = await withTokensLeft(await administration.listUsers(), {
        budget,
        administration,
        keyOf: ({ id, organization }) => `${id} ${organization.id}`,
        keyOfUse: ({ userId, orgId }) => `${userId} ${orgId}`,
      });
      if (json) return asJson(users);
      return table(
        [
          'USER ID',
          'NAME',
          'E-MAIL',
          'VERIFIED',
          'PROVIDER',
          'ACCOUNT',
          'ONBOARDED',
          'SUSPENDED',
          'ORGANIZATION ID',
          'ORGANIZATION',
          ...tokensLeftHeading(budget),
        ],
        users.map((user) => [
          user.id,
          user.name ?? '-',
          user.email ?? '-',
          user.emailVerified ? 'yes' : 'no',
          user.provider,
          user.subject,
          dayOf(user.onboardedAt) ?? 'no',
          dayOf(user.suspendedAt) ?? 'no',
          user.organization.id,
          user.organization.name,
          ...tokensLeftCell(user),
        ]),
      );
    },
  },

  'list-organizations': {
    operands: [],
    options: ['json'],
    help: `Every organization, with the number of its present users,
and what is left of its tokens for the day where TOKENS_PER_DAY_ORGANIZATION is set.`,
    async run(administration, _operands, { json }, _publicUrl, { organization: budget } = {}) {
      const organizations = await withTokensLeft(await administration.listOrganizations(), {
        budget,
        administration,
        keyOf: ({ id }) => id,
        keyOfUse: ({ orgId }) => orgId,
      });
      if (json) return asJson(organizations);
      return table(
        ['ORGANIZATION ID', 'NAME', 'INDUSTRY', 'USERS', ...tokensLeftHeading(budget)],
        organizations.map(({ id, name, industry, users, ...others }) => [
          id,
          name,
          industry ?? '-',
          String(users),
          ...tokensLeftCell(others),
        ]),
      );
    },
  },

  'describe-organization': {
    operands: ['organizationId'],
    options: ['name', 'industry', 'size'],
    needsOption: true,
    help: 'Says what the organization is, as its first member does at onboarding: what is not named stays as it is.',
    async run(administration, [organizationId = ''], { name, industry, size }) {
      const description = { ...(name && { name }), ...(industry && { industry }), ...(size && { size }) };
      await administration.describeOrganization(organizationId, description);
      return `${organizationId} is described.`;
    },
  },

  onboard: {
    operands: ['userId'],
    options: [],
    help: 'Lets the user into live chat without the onboarding page.',
    async run(administration, [userId = '']) {
      await administration.setOnboarded(userId, true);
      return `${userId} is onboarded.`;
    },
  },

  unonboard: {
    operands: ['userId'],
    options: [],
    help: 'Sends the user through the onboarding page again.',
    async run(administration, [userId = '']) {
      await administration.setOnboarded(userId, false);
      return `${userId} is not onboarded any more.`;
    },
  },

  'move-user': {
    operands: ['userId', 'organizationId'],
    options: [],
    help: `Moves the user. What they wrote stays with the organization that they leave, their engagement state too:
in the new one they have the state from an earlier stay there, or none.`,
    async run(administration, [userId = '', organizationId = '']) {
      await administration.moveUser(userId, organizationId);
      return `${userId} is in ${organizationId} now.`;
    },
  },

  'show-engagement': {
    operands: ['userId'],
    options: [],
    help: "The state of the user's engagement, as JSON that set-engagement --file takes.",
    async run(administration, [userId = '']) {
      const state = await administration.engagementState(userId);
      if (state === null) throw new Error(`${userId} has no engagement state yet. set-engagement makes one.`);
      return asJson(state);
    },
  },

  'set-engagement': {
    operands: ['userId'],
    options: ['file', 'week', 'focus', 'hypotheses', 'unknowns', 'findings'],
    needsOption: true,
    help: `Replaces the named parts of the state and leaves the others as they are.
  --file state.json    a JSON object with any of the five parts; - reads the standard input
  --week 3             --focus 'Shorter lead times' (an empty one removes it)
  --hypotheses '[{"statement": "…", "status": "open|supported|refuted", "evidence": ["…"]}]' or '["…"]'
  --unknowns '[{"question": "…", "whyItMatters": "…"}]' or '["…"]'
  --findings '[{"statement": "…", "week": 2}]'`,
    async run(administration, [userId = ''], values) {
      const changes = await readChanges(values);
      const state = applyChanges(await administration.engagementState(userId), changes);
      await administration.setEngagementState(userId, state);
      return asJson(state);
    },
  },

  invite: {
    operands: [],
    options: ['organization', 'days', 'note'],
    help: `Makes a link with which one person may sign up, once, within 14 days or the --days named. With --organization its holder
joins that one; else they get one of their own. The link is shown here and never again.`,
    async run(administration, _operands, { organization, days = '14', note }, publicUrl) {
      const { id, token, expiresAt } = await administration.invite({ organization, days: wholeDays(days), note });
      const link = `${publicUrl}${pages.signIn}?invitation=${token}`;
      return `${link}\nIt is invitation ${id}, and good until ${expiresAt.toISOString()}.`;
    },
  },

  'list-invitations': {
    operands: [],
    options: ['json'],
    help: 'Every invitation that was not revoked, the newest first, and who came with it.',
    async run(administration, _operands, { json }) {
      const invitations = await administration.listInvitations();
      if (json) return asJson(invitations);
      return table(
        ['INVITATION ID', 'MADE', 'GOOD UNTIL', 'USED', 'BY', 'ORGANIZATION ID', 'NOTE'],
        invitations.map(({ id, createdAt, expiresAt, usedAt, usedBy, organization, note }) => [
          id,
          dayOf(createdAt) ?? '-',
          dayOf(expiresAt) ?? '-',
          dayOf(usedAt) ?? 'no',
          usedBy ?? '-',
          organization?.id ?? '-',
          note ?? '-',
        ]),
      );
    },
  },

  'revoke-invitation': {
    operands: ['invitationId'],
    options: [],
    help: 'Takes an invitation back. Who has signed up with it already stays.',
    async run(administration, [invitationId = '']) {
      await administration.revokeInvitation(invitationId);
      return `${invitationId} is revoked.`;
    },
  },

  'suspend-user': {
    operands: ['userId'],
    options: [],
    help: 'Signs the user out everywhere at once, in mid-reply too, and refuses their sign-in until restore-user.',
    async run(administration, [userId = '']) {
      await administration.suspendUser(userId);
      return `${userId} is suspended.`;
    },
  },

  'restore-user': {
    operands: ['userId'],
    options: [],
    help: 'Lets a suspended user sign in again.',
    async run(administration, [userId = '']) {
      await administration.restoreUser(userId);
      return `${userId} may sign in again.`;
    },
  },

  'sign-out-user': {
    operands: ['userId'],
    options: [],
    help: 'Ends every session of the user, who may sign in again.',
    async run(administration, [userId = '']) {
      const ended = await administration.signOutUser(userId);
      return `${userId} is signed out: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`;
    },
  },

  'delete-user': {
    operands: ['userId'],
    options: ['yes', 'block'],
    needsConfirmation: true,
    help: `Deletes the user with everything they wrote, and each organization that nobody belongs to then.
It cannot be undone, so it wants --yes. With --block the account that they signed in with cannot sign up again.`,
    async run(administration, [userId = ''], { block = false }) {
      await administration.deleteUser(userId, { block });
      return `${userId} is deleted, with everything they wrote${block ? ', and cannot sign up again' : ''}.`;
    },
  },

  'unblock-account': {
    operands: ['provider', 'account'],
    options: [],
    help: 'Lets an account that was blocked sign up again; list-users shows accounts as the provider names them.',
    async run(administration, [provider = '', account = '']) {
      await administration.unblockAccount(provider, account);
      return `${account} at ${provider} may sign up again.`;
    },
  },
};

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function dayOf(date: Date | null): string | undefined {
  return date === null ? undefined : new Date(date).toISOString().slice(0, 10);
}

function wholeDays(days: string): number {
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days takes a whole number of days, from 1 to 9999.');
  return Number(days);
}
