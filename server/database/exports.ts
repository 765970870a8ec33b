import type { RunOperation } from './audit.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './transactions.ts';

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

/** Limits memory, because a message can be a megabyte long. */
const pageRows = 20;

/**
 * Exports everything that is stored about a user or an organization, as JSON with the names of the columns. Reads in short
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

  const list = (selection: Selection): JsonText => jsonArray(mapped(rowsOf(selection), ({ text }) => jsonText(text)));

  const conversations = (where: string, parameters: readonly unknown[]): JsonText =>
    jsonArray(
      mapped(rowsOf({ table: 'conversations', where, parameters, key: 'id' }), ({ key: id, text }) =>
        jsonObject({
          conversation: jsonText(text),
          messages: list({ table: 'chat_messages', where: 'conversation_id = ?', parameters: [id], key: 'position' }),
        }),
      ),
    );

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
        members: jsonArray(mapped(rowsOf(memberships), (row) => member(id, row))),
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

async function* mapped<From, To>(values: AsyncIterable<From>, transform: (value: From) => To): AsyncGenerator<To> {
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
