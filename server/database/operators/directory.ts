import { randomBytes } from 'node:crypto';
import type { RunOperation } from '../audit.ts';
import type { EntityManager } from '../orm.ts';
import { tokenHash } from '../serving/users.ts';
import { createId } from '../values.ts';

export const defaultLimit = 1_000;

/** Keyset pagination: at most `limit` rows that follow the row with the id `after`. */
type PageOptions = { after?: string | undefined; limit?: number | undefined };

export type Page<Row> = { rows: readonly Row[]; hasMore: boolean };

type Query = {
  action: string;
  /** The rows are sorted by `created_at` and `id` of this table. */
  table: 'users' | 'organizations' | 'invitations';
  noun: string;
  newestFirst?: boolean;
  columns: string;
  from: string;
  where?: { condition: string; parameters: readonly unknown[] };
};

/** @throws Error with a message for the operator if no row has the id `after` */
async function listRows<Row>(
  em: EntityManager,
  list: Query,
  { after, limit = defaultLimit }: PageOptions,
): Promise<Page<Row>> {
  const { table, columns, from, where, newestFirst } = list;
  if (after !== undefined) await requireRow(em, list, after);
  const order = newestFirst ? 'desc' : 'asc';
  const beyond = `(${table}.created_at, ${table}.id) ${newestFirst ? '<' : '>'} (select created_at, id from ${table} where id = ?)`;
  const conditions = [
    ...(where === undefined ? [] : [`(${where.condition})`]),
    ...(after === undefined ? [] : [beyond]),
  ];
  const rows = await em.execute<Row[]>(
    `select ${columns} from ${from}
      ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
      order by ${table}.created_at ${order}, ${table}.id ${order} limit ?`,
    [...(where?.parameters ?? []), ...(after === undefined ? [] : [after]), limit + 1],
  );
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

async function requireRow(em: EntityManager, query: Pick<Query, 'table' | 'noun'>, id: string): Promise<void> {
  const found = await em.execute(`select 1 from ${query.table} where id = ?`, [id]);
  if (found.length === 0) throw new Error(`There is no ${query.noun} ${id}.`);
}

type UserRow = {
  id: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  provider: string;
  subject: string;
  onboardedAt: Date | null;
  suspendedAt: Date | null;
  organization: { id: string; name: string };
  /** The tokens of the last 24 hours. */
  tokensUsed: number;
};

type OrganizationRow = { id: string; name: string; industry: string | null; users: number; tokensUsed: number };

/** Returns SQL for the tokens of the last 24 hours. As in `open_turn`, an unsettled use counts for only an hour. */
const tokensUsedExpression = (condition: string) => `(select coalesce(sum(tokens), 0)::float8 from token_uses
    where ${condition} and used_at > now() - interval '24 hours'
      and (settled or used_at > now() - interval '1 hour')) as "tokensUsed"`;

const usersQuery = {
  table: 'users',
  noun: 'user',
  columns: `users.id, users.name, email, email_verified as "emailVerified", provider, subject,
    onboarded_at as "onboardedAt", suspended_at as "suspendedAt",
    json_build_object('id', users.org_id, 'name', organizations.name) as organization,
    ${tokensUsedExpression('token_uses.user_id = users.id and token_uses.org_id = users.org_id')}`,
  from: 'users join organizations on organizations.id = users.org_id join identities on identities.user_id = users.id',
} as const;

type InvitationRow = {
  id: string;
  note: string | null;
  organization: { id: string; name: string } | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  usedBy: string | null;
};

export function createDirectory(runOperation: RunOperation) {
  const list = <Row>(query: Query, page: PageOptions = {}): Promise<Page<Row>> =>
    runOperation(query.action, null, (em) => listRows<Row>(em, query, page));

  return {
    /** Includes each user's account at the provider, because names and email addresses are not unique. */
    listUsers: (page?: PageOptions) => list<UserRow>({ ...usersQuery, action: 'list-users' }, page),

    /** Finds users whose name, email address or id contains `text`, case-insensitively, with a sequential scan. */
    findUsers: (text: string, page?: PageOptions) => {
      const contains = (column: string) => `strpos(lower(${column}), lower(?)) > 0`;
      const condition = ['users.name', 'email', 'users.id'].map(contains).join(' or ');
      const where = { condition, parameters: [text, text, text] };
      return list<UserRow>({ ...usersQuery, action: 'find-user', where }, page);
    },

    /** `users` counts only the users whose current organization it is. */
    listOrganizations: (page?: PageOptions) =>
      list<OrganizationRow>(
        {
          action: 'list-organizations',
          table: 'organizations',
          noun: 'organization',
          columns: `organizations.id, name, industry,
            (select count(*)::int from users where users.org_id = organizations.id) as users,
            ${tokensUsedExpression('token_uses.org_id = organizations.id')}`,
          from: 'organizations',
        },
        page,
      ),

    /** The returned token cannot be read again, because only its hash is stored. */
    invite: (options: { organization?: string | undefined; days: number; note?: string | undefined }) => {
      const id = createId();
      return runOperation('invite', id, async (em) => {
        const { organization = null, days, note = null } = options;
        if (organization !== null) await requireRow(em, { table: 'organizations', noun: 'organization' }, organization);
        const token = randomBytes(32).toString('base64url');
        const { expiresAt } = await em.execute<{ expiresAt: string }>(
          `insert into invitations (id, token_hash, joins, note, expires_at)
            values (?, ?, ?, ?, now() + make_interval(days => ?)) returning expires_at as "expiresAt"`,
          [id, tokenHash(token), organization, note, days],
          'get',
        );
        return { id, token, expiresAt: new Date(expiresAt) };
      });
    },

    listInvitations: (page?: PageOptions) =>
      list<InvitationRow>(
        {
          action: 'list-invitations',
          table: 'invitations',
          noun: 'invitation',
          newestFirst: true,
          columns: `invitations.id, note, invitations.created_at as "createdAt", expires_at as "expiresAt",
            used_at as "usedAt", used_by as "usedBy",
            (select json_build_object('id', joins, 'name', name) from organizations where id = joins) as organization`,
          from: 'invitations',
        },
        page,
      ),

    /** Does not affect a user who has already used the invitation. */
    revokeInvitation: (id: string) =>
      runOperation('revoke-invitation', id, async (em) => {
        const deleted = await em.execute('delete from invitations where id = ? returning id', [id]);
        if (deleted.length === 0) throw new Error(`There is no invitation ${id}.`);
      }),
  };
}

type FoundMessage = {
  position: number;
  createdAt: Date;
  role: 'USER' | 'ASSISTANT';
  conversationId: string;
  user: { id: string; name: string | null; email: string | null };
  organization: { id: string; name: string };
  /** This and the following fields are null for a question. `stopReason` is also null for an incomplete reply. */
  stopReason: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
};

type FoundEvent = {
  position: number;
  createdAt: Date;
  action: string;
  actor: string | null;
  subject: string | null;
  details: unknown;
};

/** Request ids are truncated to this length in the log and in the database. */
const maxRequestIdCharacters = 128;

export function createRequestSearch(runOperation: RunOperation) {
  return {
    /** Returns at most `limit` messages and `limit` events. Clients choose request ids, so one id can occur any number of times. */
    findRequest(requestId: string, limit = defaultLimit) {
      const storedId = requestId.slice(0, maxRequestIdCharacters);
      return runOperation('find-request', storedId, async (em) => {
        const messages = await em.execute<FoundMessage[]>(
          `select position::float8 as position, message.created_at as "createdAt", message.role, conversation_id as "conversationId",
                  json_build_object('id', users.id, 'name', users.name, 'email', email) as user,
                  json_build_object('id', organizations.id, 'name', organizations.name) as organization,
                  stop_reason as "stopReason", model, input_tokens as "inputTokens", output_tokens as "outputTokens"
             from chat_messages message
               join users on users.id = message.user_id join organizations on organizations.id = message.org_id
            where request_id = ? order by position limit ?`,
          [storedId, limit + 1],
        );
        const events = await em.execute<FoundEvent[]>(
          `select position::float8 as position, created_at as "createdAt", action, actor, subject, details
             from audit_events where request_id = ? order by position limit ?`,
          [storedId, limit + 1],
        );
        const hasMore = messages.length > limit || events.length > limit;
        return { messages: messages.slice(0, limit), events: events.slice(0, limit), hasMore };
      });
    },
  };
}
