import type { Administration } from '../database/administration.ts';
import { asJson, dayOf } from './answers.ts';
import type { Command, CommandSettings, OptionValues } from './command.ts';
import { partOf, printedList } from './list.ts';
import { table } from './table.ts';
import { tokensLeftCell, tokensLeftHeading, withTokensLeft } from './tokens-left.ts';

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
      return printedUsers(administration, administration.listUsers(partOf(values)), values, settings);
    },
  },

  'find-user': {
    operands: ['text'],
    options: ['json', 'limit', 'after'],
    help: `The users whose name, e-mail address or id has this text in it, in small letters or large, as list-users shows them.
The first ${fewFound}, unless --limit says otherwise. It reads every user: with a million of them it takes seconds.`,
    run(administration, [text = ''], values, settings) {
      const found = administration.findUsers(text, { limit: fewFound, ...partOf(values) });
      return printedUsers(administration, found, values, settings);
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
        yield* printedMessages(messages);
        if (messages.length > 0 && events.length > 0) yield '\n';
        yield* printedEvents(events);
      }
    },
  },

  'list-organizations': {
    operands: [],
    options: ['json', 'limit', 'after'],
    help: `Every organization, with the number of its present users,
and what is left of its tokens for the day where TOKENS_PER_DAY_ORGANIZATION is set.`,
    run(administration, _operands, values, { budgets = {} }) {
      const budget = budgets.organization;
      return printedList(values, {
        headings: ['ORGANIZATION ID', 'NAME', 'INDUSTRY', 'USERS', ...tokensLeftHeading(budget)],
        pages: withTokensLeft(administration.listOrganizations(partOf(values)), {
          budget,
          usedBy: (organizations) =>
            administration.tokensUsed(
              'org_id',
              organizations.map(({ id }) => id),
            ),
          keyOf: ({ id }) => id,
          keyOfUse: ({ orgId }) => orgId,
        }),
        cellsOf: ({ id, name, industry, users, ...others }) => [
          id,
          name,
          industry ?? '-',
          String(users),
          ...tokensLeftCell(others),
        ],
      });
    },
  },
};

function printedUsers(
  administration: Administration,
  users: ReturnType<Administration['listUsers']>,
  values: OptionValues,
  { budgets = {} }: CommandSettings,
) {
  const budget = budgets.user;
  return printedList(values, {
    headings: [
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
    pages: withTokensLeft(users, {
      budget,
      usedBy: (page) =>
        administration.tokensUsed(
          'user_id',
          page.map(({ id }) => id),
        ),
      keyOf: ({ id, organization }) => `${id} ${organization.id}`,
      keyOfUse: ({ userId, orgId }) => `${userId} ${orgId}`,
    }),
    cellsOf: (user) => [
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
    ],
  });
}

type Found = Awaited<ReturnType<Administration['findRequest']>>;

async function* printedMessages(messages: Found['messages']): AsyncGenerator<string> {
  if (messages.length === 0) return;
  yield* table(
    [
      'STORED',
      'MESSAGE',
      'POSITION',
      'CONVERSATION ID',
      'USER ID',
      'NAME',
      'E-MAIL',
      'ORGANIZATION ID',
      'ORGANIZATION',
      'ENDED',
      'MODEL',
    ],
    onePage(messages),
    ({ createdAt, role, position, conversationId, user, organization, stopReason, model }) => [
      new Date(createdAt).toISOString(),
      role,
      String(position),
      conversationId,
      user.id,
      user.name ?? '-',
      user.email ?? '-',
      organization.id,
      organization.name,
      role === 'USER' ? '-' : (stopReason ?? 'cut short'),
      model ?? '-',
    ],
  );
}

async function* printedEvents(events: Found['events']): AsyncGenerator<string> {
  if (events.length === 0) return;
  yield* table(
    ['TRAIL', 'ACTION', 'ACTOR', 'SUBJECT', 'DETAILS'],
    onePage(events),
    ({ createdAt, action, actor, subject, details }) => [
      new Date(createdAt).toISOString(),
      action,
      actor ?? '-',
      subject ?? '-',
      details === null ? '-' : JSON.stringify(details),
    ],
  );
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}
