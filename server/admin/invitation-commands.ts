import { pages } from '../../shared/interface.ts';
import { dayOf } from './answers.ts';
import { type Command, UsageError } from './command.ts';
import { partOf, printedList } from './list.ts';

/** Who may sign up, or join an organization. */
export const invitationCommands: Readonly<Record<string, Command>> = {
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

  'list-invitations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: 'Every invitation that was not revoked, the newest first, and who came with it.',
    run(administration, _operands, values) {
      return printedList(values, {
        headings: ['INVITATION ID', 'MADE', 'GOOD UNTIL', 'USED', 'BY', 'ORGANIZATION ID', 'NOTE'],
        pages: administration.listInvitations(partOf(values)),
        cellsOf: ({ id, createdAt, expiresAt, usedAt, usedBy, organization, note }) => [
          id,
          dayOf(createdAt) ?? '-',
          dayOf(expiresAt) ?? '-',
          dayOf(usedAt) ?? 'no',
          usedBy ?? '-',
          organization?.id ?? '-',
          note ?? '-',
        ],
      });
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
