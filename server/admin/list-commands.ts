import type { Administration } from '../database/administration.ts';
import type { Page } from '../database/directory.ts';
import { printableLine } from '../printable.ts';
import { type Command, type CommandSettings, type Noticed, type OptionValues, UsageError } from './command.ts';

/** Who and what there is. */
export const listCommands: Readonly<Record<string, Command>> = {
  'list-users': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `Everyone who has signed in, by the account that they sign in with, with the ids of the user and of their
organization. Whoever claims an e-mail address that the provider has not verified may be somebody else. Where
TOKENS_PER_DAY_USER is set, also what is left of it.`,
    async run(administration, _operands, values, settings) {
      return printedUsers(await administration.listUsers(partOf(values)), values, settings);
    },
  },

  'find-user': {
    operands: ['text'],
    options: ['json', 'limit', 'after'],
    help: `The users whose name, e-mail address or id has this text in it, in small letters or large, as list-users shows them.
It reads every user: with a million of them it takes seconds.`,
    async run(administration, [text = ''], values, settings) {
      return printedUsers(await administration.findUsers(text, partOf(values)), values, settings);
    },
  },

  'find-request': {
    operands: ['requestId'],
    options: ['json', 'limit'],
    help: `What a request that somebody quotes has left: whose it was, the conversation, when each message was stored and how the
answer ended, and its lines of the trail. Never what was said. --limit applies to each of the two.`,
    async run(administration, [requestId = ''], values) {
      const { messages, events, hasMore } = await administration.findRequest(requestId, partOf(values).limit);
      if (messages.length === 0 && events.length === 0) {
        throw new Error(`Nothing is stored of a request ${requestId}. A request of demo chat leaves nothing.`);
      }
      const tables = [
        ...(messages.length > 0 ? [table(messages, messageColumns)] : []),
        ...(events.length > 0 ? [table(events, eventColumns)] : []),
      ];
      const text = values.json ? asJson({ messages, events }) : tables.join('\n\n');
      return hasMore ? { text, notice: 'There are more. A greater --limit shows them.' } : text;
    },
  },

  'list-organizations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `Every organization, with the number of its present users,
and what is left of its tokens for the day where TOKENS_PER_DAY_ORGANIZATION is set.`,
    async run(administration, _operands, values, { budgets = {} }) {
      const organizations = await administration.listOrganizations(partOf(values));
      return printed(values, withTokensLeft(organizations, budgets.organization), {
        'ORGANIZATION ID': ({ id }) => id,
        NAME: ({ name }) => name,
        INDUSTRY: ({ industry }) => industry,
        USERS: ({ users }) => String(users),
        ...tokensLeftColumn(budgets.organization),
      });
    },
  },

  'list-invitations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: 'Every invitation that was not revoked, the newest first, and who came with it.',
    async run(administration, _operands, values) {
      return printed(values, await administration.listInvitations(partOf(values)), {
        'INVITATION ID': ({ id }) => id,
        MADE: ({ createdAt }) => dayOf(createdAt),
        'GOOD UNTIL': ({ expiresAt }) => dayOf(expiresAt),
        USED: ({ usedAt }) => dayOf(usedAt) ?? 'no',
        BY: ({ usedBy }) => usedBy,
        'ORGANIZATION ID': ({ organization }) => organization?.id,
        NOTE: ({ note }) => note,
      });
    },
  },
};

function printedUsers(
  users: Awaited<ReturnType<Administration['listUsers']>>,
  values: OptionValues,
  { budgets = {} }: CommandSettings,
) {
  return printed(values, withTokensLeft(users, budgets.user), {
    'USER ID': ({ id }) => id,
    NAME: ({ name }) => name,
    'E-MAIL': ({ email }) => email,
    VERIFIED: ({ emailVerified }) => (emailVerified ? 'yes' : 'no'),
    PROVIDER: ({ provider }) => provider,
    ACCOUNT: ({ subject }) => subject,
    ONBOARDED: ({ onboardedAt }) => dayOf(onboardedAt) ?? 'no',
    SUSPENDED: ({ suspendedAt }) => dayOf(suspendedAt) ?? 'no',
    'ORGANIZATION ID': ({ organization }) => organization.id,
    ORGANIZATION: ({ organization }) => organization.name,
    ...tokensLeftColumn(budgets.user),
  });
}

type Found = Awaited<ReturnType<Administration['findRequest']>>;

const messageColumns: Columns<Found['messages'][number]> = {
  STORED: ({ createdAt }) => new Date(createdAt).toISOString(),
  MESSAGE: ({ role }) => role,
  POSITION: ({ position }) => String(position),
  'CONVERSATION ID': ({ conversationId }) => conversationId,
  'USER ID': ({ user }) => user.id,
  NAME: ({ user }) => user.name,
  'E-MAIL': ({ user }) => user.email,
  'ORGANIZATION ID': ({ organization }) => organization.id,
  ORGANIZATION: ({ organization }) => organization.name,
  ENDED: ({ role, stopReason }) => (role === 'USER' ? null : (stopReason ?? 'cut short')),
  MODEL: ({ model }) => model,
};

const eventColumns: Columns<Found['events'][number]> = {
  TRAIL: ({ createdAt }) => new Date(createdAt).toISOString(),
  ACTION: ({ action }) => action,
  ACTOR: ({ actor }) => actor,
  SUBJECT: ({ subject }) => subject,
  DETAILS: ({ details }) => (details === null ? null : JSON.stringify(details)),
};

/** With the rest of the day's budget in place of what was used of it, if there is a budget. */
function withTokensLeft<Row extends { tokensUsed: number }>({ rows, hasMore }: Page<Row>, budget: number | undefined) {
  const remaining = (used: number) => (budget === undefined ? {} : { tokensLeft: Math.max(0, budget - used) });
  return { rows: rows.map(({ tokensUsed, ...row }) => ({ ...row, ...remaining(tokensUsed) })), hasMore };
}

function tokensLeftColumn(budget: number | undefined): Columns<{ tokensLeft?: number }> {
  return budget === undefined ? {} : { 'TOKENS LEFT': ({ tokensLeft }) => String(tokensLeft) };
}

/**
 * The part of a list that --limit and --after name.
 * @throws UsageError where --limit is no number of rows
 */
function partOf({ limit, after }: OptionValues): { limit?: number; after?: string } {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError('--limit takes a whole number of rows, at least 1.');
  }
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) };
}

/** What each cell of a row says, by the heading of its column. */
type Columns<Row> = Readonly<Record<string, (row: Row) => string | null | undefined>>;

/** A list: an array of JSON with --json, else a table. A notice says where more rows follow. */
function printed<Row extends { id: string }>(
  { json }: OptionValues,
  { rows, hasMore }: Page<Row>,
  columns: Columns<Row>,
): string | Noticed {
  const text = json ? asJson(rows) : table(rows, columns);
  if (!hasMore) return text;
  return {
    text,
    notice: `There are more. --after ${rows.at(-1)?.id} shows those that follow, a greater --limit more at once.`,
  };
}

/** Aligned columns under their headings; the last column is not padded. */
function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const cellsOf = (row: Row) => Object.values(columns).map((cell) => printableLine(cell(row) ?? '-'));
  const lines = [Object.keys(columns), ...rows.map(cellsOf)];
  const widths = Object.keys(columns).map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[column]?.length ?? 0), 0),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What a command prints where it is asked for JSON. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The day of a date, as tables show it. */
function dayOf(date: Date | null): string | undefined {
  return date === null ? undefined : new Date(date).toISOString().slice(0, 10);
}
