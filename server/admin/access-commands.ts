import type { Command } from './command.ts';

/** Who may come in no longer, and who may again. */
export const accessCommands: Readonly<Record<string, Command>> = {
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
