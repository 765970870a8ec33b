import type { Operation } from './audit.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './tenant.ts';

/** `text` is the whole row as JSON, which nothing here reads. */
type Row = { key: string; text: string };

/** Some rows of a table, in the order of `key`. */
type Selection = {
  table: string;
  where: string;
  parameters: readonly unknown[];
  /** A column, or an expression, that is different in each of the rows. */
  key: string;
  /** What is left out of each row: columns that hold a secret. */
  without?: readonly string[];
};

/** Rows in memory at once: a message may have a megabyte. */
const pageRows = 20;

/**
 * Everything that is stored about a person or an organization, as JSON whose keys are those of the tables, read in short
 * transactions: what is written meanwhile may be in it or not. No secret is in it: of a session there is when it ends, of an
 * invitation everything but the hash of its token.
 */
export function createExports(orm: Orm, operation: Operation) {
  async function* rowsOf(selection: Selection): AsyncGenerator<Row> {
    let after: string | undefined;
    for (;;) {
      const page = await acrossOrganizations(orm, (em) => readPage(em, selection, after));
      yield* page;
      if (page.length < pageRows) return;
      after = page.at(-1)?.key;
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

  const first = (action: string, table: 'users' | 'organizations', called: string, id: string): Promise<Row> =>
    operation(action, id, async (em) => {
      const [found] = await readPage(em, { table, where: 'id = ?', parameters: [id], key: 'id' }, undefined);
      if (found === undefined) throw new Error(`There is no ${called} ${id}.`);
      return found;
    });

  const ofUser = (table: string, key: string, id: string, without?: readonly string[]): JsonText =>
    list({ table, where: 'user_id = ?', parameters: [id], key, ...(without && { without }) });

  /** What a member has in the organization; who they are, where it is their present one. */
  function member(orgId: string, { key: userId, text }: Row): JsonText {
    const here = { where: 'user_id = ? and org_id = ?', parameters: [userId, orgId] };
    return jsonObject({
      membership: jsonText(text),
      users: list({ table: 'users', where: 'id = ? and org_id = ?', parameters: [userId, orgId], key: 'id' }),
      engagement_states: list({ table: 'engagement_states', ...here, key: 'org_id' }),
      token_uses: list({ table: 'token_uses', ...here, key: 'id' }),
      conversations: conversations(here.where, here.parameters),
    });
  }

  return {
    /** @throws Error with a sentence where there is no such user; nothing has been given then */
    async *exportUser(id: string): AsyncGenerator<string> {
      const user = await first('export-user', 'users', 'user', id);
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

    /** @throws Error with a sentence where there is no such organization; nothing has been given then */
    async *exportOrganization(id: string): AsyncGenerator<string> {
      const organization = await first('export-organization', 'organizations', 'organization', id);
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

async function* mapped<From, To>(values: AsyncIterable<From>, change: (value: From) => To): AsyncGenerator<To> {
  for await (const value of values) yield change(value);
}

/** A JSON text in pieces, of which only the one at hand is in memory. */
type JsonText = AsyncIterable<string>;

/** What is JSON already. */
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

/** An element on each line. */
async function* jsonArray(elements: AsyncIterable<JsonText>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const element of elements) {
    yield separator;
    yield* element;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
