import { pages } from '../../shared/interface.ts';
import { openTarget } from '../database/database.ts';
import { createLogger } from '../http/logger.ts';
import { type Command, UsageError } from './command.ts';
import { applyChanges, readChanges } from './engagement-changes.ts';
import { asJson, listCommands } from './list-commands.ts';

/** Who may sign up, or join an organization. */
const invitationCommands: Readonly<Record<string, Command>> = {
  invite: {
    operands: [],
    options: ['organization', 'days', 'note'],
    help: `Makes a link with which one person may sign up, once, within 14 days or the --days named. With --organization its holder
joins that one; else they get one of their own. The link is shown here and never again.`,
    async run(administration, _operands, { organization, days = '14', note }, { publicUrl }) {
      const { id, token, expiresAt } = await administration.invite({ organization, days: wholeDays(days), note });
      const link = `${publicUrl}${pages.signIn}?invitation=${token}`;
      return `${link}\nIt is invitation ${id}, and good until ${expiresAt.toISOString()}.`;
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
};

function wholeDays(days: string): number {
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days takes a whole number of days, from 1 to 9999.');
  return Number(days);
}

/** Who may come in no longer, and who may again. */
const accessCommands: Readonly<Record<string, Command>> = {
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

/** What is stored: to take out, to take elsewhere, to delete. */
const storageCommands: Readonly<Record<string, Command>> = {
  'export-user': {
    operands: ['userId'],
    options: [],
    help: 'Everything that is stored about the user, as JSON. No session and no token is in it.',
    run: (administration, [userId = '']) => lines(administration.exportUser(userId)),
  },

  'export-organization': {
    operands: ['organizationId'],
    options: [],
    help: `Everything that is stored about the organization, as JSON: its members, and what each of them has written in it. Who
has left it is there with what they have left in it, by their id alone.`,
    run: (administration, [organizationId = '']) => lines(administration.exportOrganization(organizationId)),
  },

  'delete-organization': {
    operands: ['organizationId'],
    options: ['yes'],
    needsConfirmation: true,
    help: `Deletes the organization with everything that was written in it, and every user of it who belongs to no other one. Who
belongs to another is in that one then. It cannot be undone, so it wants --yes.`,
    async run(administration, [organizationId = '']) {
      const { deleted, moved } = await administration.deleteOrganization(organizationId);
      return `${organizationId} is deleted: ${users(deleted)} with it, and ${users(moved)} moved to another organization.`;
    },
  },

  prune: {
    operands: [],
    options: [],
    help: `Deletes the conversations whose last message is more than RETAIN_DAYS old, in small batches. Where RETAIN_DAYS is set,
the service does the same once an hour.`,
    async run(administration, _operands, _values, { retainDays }) {
      if (retainDays === undefined) throw new Error('RETAIN_DAYS is not set: conversations are kept for ever.');
      const conversations = await administration.prune(retainDays);
      return `${conversations} ${conversations === 1 ? 'conversation is' : 'conversations are'} deleted.`;
    },
  },

  'copy-to': {
    operands: ['databaseUrl'],
    options: [],
    help: `Copies everything in the embedded database into an empty PostgreSQL database, and counts it there. The address is that
of the database's owner; its schema has to be up to date.`,
    async run(administration, [url = ''], _values, { databaseUrl }) {
      if (databaseUrl !== undefined) {
        throw new Error(
          'copy-to copies the embedded database, and DATABASE_URL names another one. Use pg_dump for that.',
        );
      }
      await using target = await openTarget(url, createLogger({ level: 'silent' }));
      const copied = Object.entries(await administration.copyTo(target));
      return [
        'Every row was copied, and counted on both sides:',
        ...copied.map(([name, rows]) => `  ${name} ${rows}`),
      ].join('\n');
    },
  },
};

const users = (count: number) => `${count} ${count === 1 ? 'user' : 'users'}`;

async function* lines(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}

/** The operator's direct writes, by the name of their command. */
export const commands: Readonly<Record<string, Command>> = {
  ...listCommands,

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

  ...invitationCommands,
  ...accessCommands,
  ...storageCommands,
};
