import type { RunOperation } from '../audit.ts';
import type { EntityManager, Orm } from '../orm.ts';
import { acrossOrganizations } from '../transactions.ts';

/** `text` is the row as JSON and is never parsed. */
type Row = { key: string; text: string };

type Selection = {
  table: string;
  where: string;
  parameters: readonly unknown[];
  /** A column or expression that is unique among the rows. */
  key: string;
  without?: readonly string[];
};

/** A message, or a conversation without messages. Both texts are rows as JSON and are never parsed. */
type ConversationRow = { id: string; conversation: string; position: string | null; message: string | null };

const pageRows = 500;

/** Limits memory, because a message can be a megabyte long. A page exceeds it by one message at most. */
const pageBytes = 2_000_000;

/**
 * Row-level security makes the planner underestimate the number of rows, so it would read and sort all conversations, and all
 * remaining messages of each, for every page. With sorts disabled, the estimated cost could cause JIT compilation.
 */
const planSettings = { enable_sort: 'off', jit: 'off' };

/**
 * Exports everything that is stored about a user or an organization, as JSON with the names of the columns. Reads pages in short
 * transactions, so rows written during the export may be missing. Excludes secrets: the ids and the data of sessions, and the
 * token hashes of invitations.
 */
export function createExports(orm: Orm, runOperation: RunOperation) {
  async function* rowsOf(selection: Selection): AsyncGenerator<Row> {
    let lastKey: string | undefined;
    for (;;) {
      const page = await acrossOrganizations(orm, (em) => readPage(em, selection, lastKey));
      yield* page;
      if (page.length < pageRows) return;
      lastKey = page.at(-1)?.key;
    }
  }

  const list = (selection: Selection): JsonText => jsonArray(mapEach(rowsOf(selection), ({ text }) => jsonText(text)));

  async function* conversationRows(where: string, parameters: readonly unknown[]): AsyncGenerator<ConversationRow> {
    let last: ConversationRow | undefined;
    do {
      const after = last;
      const page: ConversationRow[] = await acrossOrganizations(
        orm,
        (em) => readConversationPage(em, where, parameters, after),
        planSettings,
      );
      yield* page;
      last = page.at(-1);
    } while (last !== undefined);
  }

  const conversations = (where: string, parameters: readonly unknown[]): JsonText =>
    jsonArray(groupByConversation(conversationRows(where, parameters)));

  const invitations = (where: string, id: string): JsonText =>
    list({ table: 'invitations', where, parameters: [id], key: 'id', without: ['token_hash'] });

  const trailOf = (id: string): JsonText =>
    list({ table: 'audit_events', where: 'subject = ?', parameters: [id], key: 'position' });

  const findRow = (action: string, table: 'users' | 'organizations', noun: string, id: string): Promise<Row> =>
    runOperation(action, id, async (em) => {
      const [found] = await readPage(em, { table, where: 'id = ?', parameters: [id], key: 'id' }, undefined);
      if (found === undefined) throw new Error(`There is no ${noun} ${id}.`);
      return found;
    });

  const ofUser = (table: string, key: string, id: string, without?: readonly string[]): JsonText =>
    list({ table, where: 'user_id = ?', parameters: [id], key, ...(without && { without }) });

  /** Includes the user's own row only if this is their current organization. */
  function member(orgId: string, { key: userId, text }: Row): JsonText {
    const inOrganization = { where: 'user_id = ? and org_id = ?', parameters: [userId, orgId] };
    return jsonObject({
      membership: jsonText(text),
      users: list({ table: 'users', where: 'id = ? and org_id = ?', parameters: [userId, orgId], key: 'id' }),
      engagement_states: list({ table: 'engagement_states', ...inOrganization, key: 'org_id' }),
      token_uses: list({ table: 'token_uses', ...inOrganization, key: 'id' }),
      conversations: conversations(inOrganization.where, inOrganization.parameters),
    });
  }

  return {
    /** @throws Error with a message for the operator, before it yields anything, if the user does not exist */
    async *exportUser(id: string): AsyncGenerator<string> {
      const user = await findRow('export-user', 'users', 'user', id);
      yield* jsonObject({
        exported_at: jsonText(JSON.stringify(new Date())),
        user: jsonText(user.text),
        identities: ofUser('identities', "provider || ' ' || subject", id),
        memberships: ofUser('memberships', 'org_id', id),
        engagement_states: ofUser('engagement_states', 'org_id', id),
        sessions: ofUser('sessions', 'sid', id, ['sid', 'sess']),
        invitations: invitations('used_by = ?', id),
        token_uses: ofUser('token_uses', 'id', id),
        conversations: conversations('user_id = ?', [id]),
        audit_events: trailOf(id),
      });
    },

    /** @throws Error with a message for the operator, before it yields anything, if the organization does not exist */
    async *exportOrganization(id: string): AsyncGenerator<string> {
      const organization = await findRow('export-organization', 'organizations', 'organization', id);
      const memberships = { table: 'memberships', where: 'org_id = ?', parameters: [id], key: 'user_id' };
      yield* jsonObject({
        exported_at: jsonText(JSON.stringify(new Date())),
        organization: jsonText(organization.text),
        invitations: invitations('joins = ?', id),
        members: jsonArray(mapEach(rowsOf(memberships), (row) => member(id, row))),
        audit_events: trailOf(id),
      });
    },
  };
}

async function readPage(
  em: EntityManager,
  { table, where, parameters, key, without = [] }: Selection,
  after: string | undefined,
) {
  const columns = [`to_jsonb(${table})`, ...without.map((column) => `'${column}'`)].join(' - ');
  const beyond = after === undefined ? '' : `and ${key} > ?`;
  return em.execute<Row[]>(
    `select (${key})::text as key, (${columns})::text as text from ${table}
      where ${where} ${beyond} order by ${key} limit ?`,
    [...parameters, ...(after === undefined ? [] : [after]), pageRows],
  );
}

/**
 * Reads messages in the order of their conversations' ids and their positions. A page can span many conversations, and a
 * conversation many pages. Returns no row after the last one.
 */
async function readConversationPage(
  em: EntityManager,
  where: string,
  parameters: readonly unknown[],
  { id, position }: Pick<ConversationRow, 'id' | 'position'> = { id: '', position: null },
) {
  // Measures the messages before it reads them: octet_length does not load the contents.
  return em.execute<ConversationRow[]>(
    `with page as (
       select conversation.id, conversation.text, message.position,
           sum(coalesce(bytes, 0)) over (order by conversation.id, message.position rows unbounded preceding)
             - coalesce(bytes, 0) as bytes_before
         from (
           select id, to_jsonb(conversations)::text as text from conversations
             where ${where} and id >= ? order by id limit ?
         ) conversation
           left join lateral (
             select position, octet_length(content) as bytes from chat_messages
               where conversation_id = conversation.id
                 and position > case when conversation.id = ? then ?::bigint else 0 end
               order by position limit ?
           ) message on true
         where conversation.id <> ? or message.position is not null
         order by conversation.id, message.position limit ?
     )
     select page.id, page.text as conversation, page.position::text as position, to_jsonb(chat_messages)::text as message
       from page
         left join chat_messages on chat_messages.conversation_id = page.id and chat_messages.position = page.position
       where bytes_before < ? order by page.id, page.position`,
    [...parameters, id, pageRows + 1, id, position ?? 0, pageRows, id, pageRows, pageBytes],
  );
}

/** Each element must be read to its end before the next one. */
async function* groupByConversation(rows: AsyncGenerator<ConversationRow>): AsyncGenerator<JsonText> {
  let next = await rows.next();
  async function* messagesOf(id: string): AsyncGenerator<JsonText> {
    for (; !next.done && next.value.id === id; next = await rows.next()) {
      if (next.value.message !== null) yield jsonText(next.value.message);
    }
  }
  while (!next.done) {
    const { id, conversation } = next.value;
    yield jsonObject({ conversation: jsonText(conversation), messages: jsonArray(messagesOf(id)) });
  }
}

async function* mapEach<From, To>(values: AsyncIterable<From>, transform: (value: From) => To): AsyncGenerator<To> {
  for await (const value of values) yield transform(value);
}

/** The chunks of a JSON text, so that an export of any size fits into memory. */
type JsonText = AsyncIterable<string>;

/** `text` must be valid JSON. */
async function* jsonText(text: string): AsyncGenerator<string> {
  yield text;
}

async function* jsonObject(fields: Readonly<Record<string, JsonText>>): AsyncGenerator<string> {
  let separator = '{';
  for (const [key, text] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(key)}:`;
    yield* text;
    separator = ',\n';
  }
  yield separator === '{' ? '{}' : '}';
}

async function* jsonArray(elements: AsyncIterable<JsonText>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const element of elements) {
    yield separator;
    yield* element;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
