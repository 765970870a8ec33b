import type { Administration } from '../database/administration.ts';
import { printableLine } from '../printable.ts';
import { type Command, type CommandSettings, type OptionValues, UsageError } from './command.ts';

/** Finding needs the whole table read, and what is looked for is seldom far down. */
const fewFound = 100;

/** Who and what there is. */
export const listCommands: Readonly<Record<string, Command>> = {
  'list-users': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `Everyone who has signed in, by the account that they sign in with, with the ids of the user and of their
organization. Whoever claims an e-mail address that the provider has not verified may be somebody else. Where
TOKENS_PER_DAY_USER is set, also what is left of it.`,
    run(administration, _operands, values, settings) {
      return printedUsers(administration.listUsers(partOf(values)), values, settings);
    },
  },

  'find-user': {
    operands: ['text'],
    options: ['json', 'limit', 'after'],
    help: `The users whose name, e-mail address or id has this text in it, in small letters or large, as list-users shows them.
The first ${fewFound}, unless --limit says otherwise. It reads every user: with a million of them it takes seconds.`,
    run(administration, [text = ''], values, settings) {
      const found = administration.findUsers(text, { limit: fewFound, ...partOf(values) });
      return printedUsers(found, values, settings);
    },
  },

  'find-request': {
    operands: ['requestId'],
    options: ['json', 'limit'],
    help: `What a request that somebody quotes has left: whose it was, the conversation, when each message was stored and how the
answer ended, and its lines of the trail. Never what was said. The first ${fewFound} of each, unless --limit says otherwise.`,
    async *run(administration, [requestId = ''], values) {
      const { limit = fewFound } = partOf(values);
      const { messages, events } = await administration.findRequest(requestId, limit);
      if (messages.length === 0 && events.length === 0) {
        throw new Error(`Nothing is stored of a request ${requestId}. A request of demo chat leaves nothing.`);
      }
      if (values.json) yield `${asJson({ messages, events })}\n`;
      else {
        if (messages.length > 0) yield* table(onePage(messages), messageColumns);
        if (messages.length > 0 && events.length > 0) yield '\n';
        if (events.length > 0) yield* table(onePage(events), eventColumns);
      }
    },
  },

  'list-organizations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `Every organization, with the number of its present users,
and what is left of its tokens for the day where TOKENS_PER_DAY_ORGANIZATION is set.`,
    run(administration, _operands, values, { budgets = {} }) {
      const organizations = administration.listOrganizations(partOf(values));
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
    run(administration, _operands, values) {
      return printed(values, administration.listInvitations(partOf(values)), {
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
  users: ReturnType<Administration['listUsers']>,
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

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

/** With the rest of the day's budget in place of what was used of it, if there is a budget. */
async function* withTokensLeft<Row extends { tokensUsed: number }>(
  pages: AsyncIterable<readonly Row[]>,
  budget: number | undefined,
): AsyncGenerator<readonly (Omit<Row, 'tokensUsed'> & { tokensLeft?: number })[]> {
  for await (const rows of pages) {
    yield rows.map(({ tokensUsed, ...row }) => ({
      ...row,
      ...(budget !== undefined && { tokensLeft: Math.max(0, budget - tokensUsed) }),
    }));
  }
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

/** A list of any length in pieces: an array of JSON with --json, else a table. */
function printed<Row>({ json }: OptionValues, pages: AsyncIterable<readonly Row[]>, columns: Columns<Row>) {
  return json ? jsonList(pages) : table(pages, columns);
}

/** What `asJson` would give of all the rows at once. */
async function* jsonList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const rows of pages) {
    for (const row of rows) {
      yield `${separator}${asJson(row).replaceAll(/^/gm, '  ')}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * Aligned columns under their headings, page by page; the last column is not padded. A column is as wide as its widest cell
 * so far: only a page can be looked at before it is printed.
 */
async function* table<Row>(pages: AsyncIterable<readonly Row[]>, columns: Columns<Row>): AsyncGenerator<string> {
  const widths = Object.keys(columns).map(() => 0);

  function format(lines: readonly (readonly string[])[]): string {
    for (const [column, width] of widths.entries()) {
      widths[column] = lines.reduce((widest, cells) => Math.max(widest, cells[column]?.length ?? 0), width);
    }
    return lines.map((cells) => `${padded(cells).join('  ').trimEnd()}\n`).join('');
  }
  const padded = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  const cellsOf = (row: Row) => Object.values(columns).map((cell) => printableLine(cell(row) ?? '-'));

  let waiting: readonly (readonly string[])[] = [Object.keys(columns)];
  for await (const rows of pages) {
    yield format([...waiting, ...rows.map(cellsOf)]);
    waiting = [];
  }
  if (waiting.length > 0) yield format(waiting);
}

/** What a command prints where it is asked for JSON. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The day of a date, as tables show it. */
function dayOf(date: Date | null): string | undefined {
  return date === null ? undefined : new Date(date).toISOString().slice(0, 10);
}
