import { openTarget } from '../database/database.ts';
import { createLogger } from '../http/process/logger.ts';
import type { Command } from './command.ts';

/** What is stored: to take out, to take elsewhere, to delete. */
export const storageCommands: Readonly<Record<string, Command>> = {
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
      const target = await openTarget(url, createLogger({ level: 'silent' }));
      try {
        const copied = Object.entries(await administration.copyTo(target));
        return [
          'Every row was copied, and counted on both sides:',
          ...copied.map(([name, rows]) => `  ${name} ${rows}`),
        ].join('\n');
      } finally {
        await target.close(true);
      }
    },
  },
};

const users = (count: number) => `${count} ${count === 1 ? 'user' : 'users'}`;

async function* lines(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield* text;
  yield '\n';
}
