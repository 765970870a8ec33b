import * as z from 'zod/mini';
import { pages } from '../../shared/interface.ts';
import { fieldErrors, type Onboarding, onboardingSchema } from '../../shared/onboarding.ts';
import { isVisible } from '../../shared/visible-text.ts';
import { openCopyTarget } from '../database/database.ts';
import { createLogger } from '../http/logger.ts';
import { type Command, UsageError } from './command.ts';
import { applyChanges, readChanges } from './engagement-changes.ts';
import { listCommands, toJson } from './list-commands.ts';

const maxNoteLength = 200;

const invitationCommands: Readonly<Record<string, Command>> = {
  invite: {
    operands: [],
    options: ['organization', 'days', 'note'],
    help: `Create a single-use link to sign up. It expires after --days (default: 14). With --organization, the new user joins
that organization, otherwise one of their own. The link cannot be shown again.`,
    async run(administration, _operands, { organization, days = '14', note }, { publicUrl }) {
      if (note !== undefined && !isVisible(note)) throw new UsageError('--note must not be blank.');
      if (note !== undefined && note.length > maxNoteLength)
        throw new UsageError(`--note can have at most ${maxNoteLength} characters.`);
      const { id, token, expiresAt } = await administration.invite({ organization, days: wholeDays(days), note });
      const link = `${publicUrl}${pages.signIn}?invitation=${token}`;
      return `${link}\nCreated invitation ${id}. It expires at ${expiresAt.toISOString()}.`;
    },
  },

  'revoke-invitation': {
    operands: ['invitationId'],
    options: [],
    help: 'Revoke an invitation. A user who has already used it is not affected.',
    async run(administration, [invitationId = '']) {
      await administration.revokeInvitation(invitationId);
      return `Revoked invitation ${invitationId}.`;
    },
  },
};

function wholeDays(days: string): number {
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days must be a whole number from 1 to 9999.');
  return Number(days);
}

const accessCommands: Readonly<Record<string, Command>> = {
  'suspend-user': {
    operands: ['userId'],
    options: [],
    help: 'Sign the user out everywhere, stop replies in progress, and refuse sign-ins until restore-user.',
    async run(administration, [userId = '']) {
      await administration.suspendUser(userId);
      return `Suspended user ${userId}.`;
    },
  },

  'restore-user': {
    operands: ['userId'],
    options: [],
    help: 'Let a suspended user sign in again.',
    async run(administration, [userId = '']) {
      await administration.restoreUser(userId);
      return `Restored user ${userId}.`;
    },
  },

  'sign-out-user': {
    operands: ['userId'],
    options: [],
    help: 'End all sessions of the user. The user can sign in again.',
    async run(administration, [userId = '']) {
      const ended = await administration.signOutUser(userId);
      return `Signed out user ${userId}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`;
    },
  },

  'delete-user': {
    operands: ['userId'],
    options: ['yes', 'block'],
    needsConfirmation: true,
    help: `Delete the user, everything they wrote, and their organizations without other members. This cannot be undone and
requires --yes. With --block, the account at the provider cannot sign up again; the output is the only record of how to
unblock it. If the command is interrupted, the user is suspended; run it again.`,
    async run(administration, [userId = ''], { block = false }) {
      const accounts = await administration.deleteUser(userId, { block });
      if (!block) return `Deleted user ${userId}.`;
      const remedies = accounts.map(({ provider, subject }) => `  unblock-account ${provider} ${subject}`);
      return [`Deleted user ${userId} and blocked the account. To let it sign up again, use:`, ...remedies].join('\n');
    },
  },

  'unblock-account': {
    operands: ['provider', 'account'],
    options: [],
    help: "Let a blocked account sign up again. The account is the provider's id of the user, as in list-users.",
    async run(administration, [provider = '', account = '']) {
      await administration.unblockAccount(provider, account);
      return `Unblocked account ${account} at ${provider}.`;
    },
  },
};

const storageCommands: Readonly<Record<string, Command>> = {
  'export-user': {
    operands: ['userId'],
    options: [],
    help: 'Print everything that is stored about the user as JSON, without session data and tokens.',
    run: (administration, [userId = '']) => withFinalNewline(administration.exportUser(userId)),
  },

  'export-organization': {
    operands: ['organizationId'],
    options: [],
    help: `Print everything that is stored about the organization as JSON: its members and what they wrote in it. Former members
are identified only by their ids.`,
    run: (administration, [organizationId = '']) => withFinalNewline(administration.exportOrganization(organizationId)),
  },

  'delete-organization': {
    operands: ['organizationId'],
    options: ['yes'],
    needsConfirmation: true,
    help: `Delete the organization, everything that was written in it, and its users who belong to no other organization. Other
users are moved to the organization that they joined last. This cannot be undone and requires --yes. If the command is
interrupted, the remaining users are suspended; run it again.`,
    async run(administration, [organizationId = '']) {
      const { deleted, moved } = await administration.deleteOrganization(organizationId);
      return `Deleted organization ${organizationId}: ${users(deleted)} deleted, ${users(moved)} moved.`;
    },
  },

  prune: {
    operands: [],
    options: [],
    help: `Delete conversations whose last message is more than RETAIN_DAYS old, in small batches. If RETAIN_DAYS is set, the
service also does this once an hour.`,
    async run(administration, _operands, _values, { retainDays }) {
      if (retainDays === undefined)
        throw new Error('RETAIN_DAYS is not set, so conversations are retained indefinitely.');
      const conversations = await administration.prune(retainDays);
      return `Deleted ${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}.`;
    },
  },

  'copy-to': {
    operands: ['databaseUrl'],
    options: [],
    help: `Copy the embedded database into an empty PostgreSQL database, and compare the row counts. The URL must have the login
of the database's owner. Run npm run migrate on the database first.`,
    async run(administration, [url = ''], _values, { databaseUrl }) {
      if (databaseUrl !== undefined) {
        throw new Error(
          'copy-to copies the embedded database, but DATABASE_URL is set. Use pg_dump to copy a PostgreSQL database.',
        );
      }
      await using target = await openCopyTarget(url, createLogger({ level: 'silent' }));
      const copied = Object.entries(await administration.copyTo(target));
      return ['Copied all rows. The row counts match:', ...copied.map(([name, rows]) => `  ${name} ${rows}`)].join(
        '\n',
      );
    },
  },
};

const users = (count: number) => `${count} ${count === 1 ? 'user' : 'users'}`;

async function* withFinalNewline(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}

const { name, industry, size } = onboardingSchema.shape.company.shape;
const descriptionSchema = z.object({
  name: z.exactOptional(name),
  industry: z.exactOptional(industry),
  size: z.exactOptional(size.def.innerType),
});

/** Applies the rules of the onboarding form. Omits what is undefined. @throws UsageError */
function readDescription(fields: Record<keyof Onboarding['company'], string | undefined>) {
  const given = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined));
  const { data, error } = descriptionSchema.safeParse(given);
  if (error === undefined) return data;
  const problems = fieldErrors(error).map(({ field, limit }) =>
    limit === undefined ? `--${field} must not be blank.` : `--${field} can have at most ${limit} characters.`,
  );
  throw new UsageError(problems.join('\n'));
}

export const commands: Readonly<Record<string, Command>> = {
  ...listCommands,

  'describe-organization': {
    operands: ['organizationId'],
    options: ['name', 'industry', 'size'],
    needsOption: true,
    help: `Set name, industry or size of the organization, as its first member does at onboarding. An empty --size removes it.`,
    async run(administration, [organizationId = ''], { name, industry, size }) {
      const removed = size === '' ? { size: null } : {};
      const described = readDescription({ name, industry, size: size || undefined });
      await administration.describeOrganization(organizationId, { ...described, ...removed });
      return `Updated organization ${organizationId}.`;
    },
  },

  onboard: {
    operands: ['userId'],
    options: [],
    help: 'Let the user use live chat without the onboarding page.',
    async run(administration, [userId = '']) {
      await administration.setOnboarded(userId, true);
      return `Marked user ${userId} as onboarded.`;
    },
  },

  unonboard: {
    operands: ['userId'],
    options: [],
    help: 'Show the onboarding page to the user again.',
    async run(administration, [userId = '']) {
      await administration.setOnboarded(userId, false);
      return `Marked user ${userId} as not onboarded.`;
    },
  },

  'move-user': {
    operands: ['userId', 'organizationId'],
    options: [],
    help: `Move the user to another organization. Conversations and engagement state remain with the old one. If the user was a
member of the new one before, that engagement state applies again.`,
    async run(administration, [userId = '', organizationId = '']) {
      await administration.moveUser(userId, organizationId);
      return `Moved user ${userId} to organization ${organizationId}.`;
    },
  },

  'show-engagement': {
    operands: ['userId'],
    options: [],
    help: 'Print the engagement state of the user as JSON, in the format of set-engagement --file.',
    async run(administration, [userId = '']) {
      const state = await administration.engagementState(userId);
      if (state === null)
        throw new Error(`The user ${userId} has no engagement state. Use set-engagement to create one.`);
      return toJson(state);
    },
  },

  'set-engagement': {
    operands: ['userId'],
    options: ['file', 'week', 'focus', 'hypotheses', 'unknowns', 'findings'],
    needsOption: true,
    help: `Replace the given parts of the engagement state. Other parts remain unchanged.
  --file state.json    a JSON object with any of the five parts; - reads standard input
  --week 3             --focus 'Shorter lead times' (an empty text removes it)
  --hypotheses '[{"statement": "…", "status": "open|supported|refuted", "evidence": ["…"]}]' or '["…"]'
  --unknowns '[{"question": "…", "whyItMatters": "…"}]' or '["…"]'
  --findings '[{"statement": "…", "week": 2}]'`,
    async run(administration, [userId = ''], values) {
      const changes = await readChanges(values);
      const state = applyChanges(await administration.engagementState(userId), changes);
      await administration.setEngagementState(userId, state);
      return toJson(state);
    },
  },

  ...invitationCommands,
  ...accessCommands,
  ...storageCommands,
};
