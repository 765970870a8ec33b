import type { Administration } from '../database/operators/administration.ts';
import type { Page } from '../database/operators/directory.ts';
import { printableLine } from '../process/printable.ts';
import { type Command, type CommandSettings, type OptionValues, type OutputWithNotice, UsageError } from './command.ts';

export const listCommands: Readonly<Record<string, Command>> = {
  'list-users': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `List users with their accounts and organizations. An email address that is not verified may belong to someone else. If
TOKENS_PER_DAY_USER is set, includes the remaining tokens.`,
    async run(administration, _operands, values, settings) {
      return formatUsers(await administration.listUsers(pageOptions(values)), values, settings);
    },
  },

  'find-user': {
    operands: ['text'],
    options: ['json', 'limit', 'after'],
    help: `List users whose name, email address or id contains the text, case-insensitively. Scans all users, which takes seconds
for a million.`,
    async run(administration, [text = ''], values, settings) {
      return formatUsers(await administration.findUsers(text, pageOptions(values)), values, settings);
    },
  },

  'find-request': {
    operands: ['requestId'],
    options: ['json', 'limit'],
    help: `List the messages and audit events of a request: user, conversation, times and how the reply ended, without the content
of messages. --limit applies to messages and to events.`,
    async run(administration, [requestId = ''], values) {
      const { messages, events, hasMore } = await administration.findRequest(requestId, pageOptions(values).limit);
      if (messages.length === 0 && events.length === 0) {
        throw new Error(`Nothing is stored for the request ${requestId}. Requests of demo chat are never stored.`);
      }
      const tables = [
        ...(messages.length > 0 ? [table(messages, messageColumns)] : []),
        ...(events.length > 0 ? [table(events, eventColumns)] : []),
      ];
      const text = values.json ? toJson({ messages, events }) : tables.join('\n\n');
      return hasMore ? { text, notice: 'There are more rows. Increase --limit to show them.' } : text;
    },
  },

  'list-organizations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `List organizations with their number of users. If TOKENS_PER_DAY_ORGANIZATION is set, includes the remaining tokens.`,
    async run(administration, _operands, values, { budgets }) {
      const organizations = await administration.listOrganizations(pageOptions(values));
      return formatRows(values, withTokensLeft(organizations, budgets.organization), {
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
    help: 'List invitations that are not revoked, newest first, and the users who used them.',
    async run(administration, _operands, values) {
      return formatRows(values, await administration.listInvitations(pageOptions(values)), {
        'INVITATION ID': ({ id }) => id,
        CREATED: ({ createdAt }) => dayOf(createdAt),
        EXPIRES: ({ expiresAt }) => dayOf(expiresAt),
        USED: ({ usedAt }) => dayOf(usedAt) ?? 'no',
        'USED BY': ({ usedBy }) => usedBy,
        'ORGANIZATION ID': ({ organization }) => organization?.id,
        NOTE: ({ note }) => note,
      });
    },
  },
};

function formatUsers(
  users: Awaited<ReturnType<Administration['listUsers']>>,
  values: OptionValues,
  { budgets }: CommandSettings,
) {
  return formatRows(values, withTokensLeft(users, budgets.user), {
    'USER ID': ({ id }) => id,
    NAME: ({ name }) => name,
    EMAIL: ({ email }) => email,
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

type FoundRequest = Awaited<ReturnType<Administration['findRequest']>>;

const messageColumns: Columns<FoundRequest['messages'][number]> = {
  STORED: ({ createdAt }) => new Date(createdAt).toISOString(),
  MESSAGE: ({ role }) => role,
  POSITION: ({ position }) => String(position),
  'CONVERSATION ID': ({ conversationId }) => conversationId,
  'USER ID': ({ user }) => user.id,
  NAME: ({ user }) => user.name,
  EMAIL: ({ user }) => user.email,
  'ORGANIZATION ID': ({ organization }) => organization.id,
  ORGANIZATION: ({ organization }) => organization.name,
  ENDED: ({ role, stopReason }) => (role === 'USER' ? null : (stopReason ?? 'incomplete')),
  MODEL: ({ model }) => model,
};

const eventColumns: Columns<FoundRequest['events'][number]> = {
  TIME: ({ createdAt }) => new Date(createdAt).toISOString(),
  ACTION: ({ action }) => action,
  ACTOR: ({ actor }) => actor,
  SUBJECT: ({ subject }) => subject,
  DETAILS: ({ details }) => (details === null ? null : JSON.stringify(details)),
};

function withTokensLeft<Row extends { tokensUsed: number }>({ rows, hasMore }: Page<Row>, budget: number | undefined) {
  const remaining = (used: number) => (budget === undefined ? {} : { tokensLeft: Math.max(0, budget - used) });
  return { rows: rows.map(({ tokensUsed, ...row }) => ({ ...row, ...remaining(tokensUsed) })), hasMore };
}

function tokensLeftColumn(budget: number | undefined): Columns<{ tokensLeft?: number }> {
  return budget === undefined ? {} : { 'TOKENS LEFT': ({ tokensLeft }) => String(tokensLeft) };
}

function pageOptions({ limit, after }: OptionValues): { limit?: number; after?: string } {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError('--limit must be a positive whole number.');
  }
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) };
}

type Columns<Row> = Readonly<Record<string, (row: Row) => string | null | undefined>>;

function formatRows<Row extends { id: string }>(
  { json }: OptionValues,
  { rows, hasMore }: Page<Row>,
  columns: Columns<Row>,
): string | OutputWithNotice {
  const text = json ? toJson(rows) : table(rows, columns);
  if (!hasMore) return text;
  return {
    text,
    notice: `There are more rows. Use --after ${rows.at(-1)?.id} to continue, or increase --limit.`,
  };
}

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

export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function dayOf(date: Date | null): string | undefined {
  return date === null ? undefined : new Date(date).toISOString().slice(0, 10);
}
