import { accessCommands } from './access-commands.ts';
import { asJson } from './answers.ts';
import type { Command } from './command.ts';
import { applyChanges, readChanges } from './engagement-changes.ts';
import { invitationCommands } from './invitation-commands.ts';
import { listCommands } from './list-commands.ts';
import { storageCommands } from './storage-commands.ts';

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
