import { randomBytes } from 'node:crypto';
import type { Operation } from './audit.ts';
import { Invitation, Organization } from './entities.ts';
import type { EntityManager, Orm } from './orm.ts';
import { tokenHash } from './people.ts';
import { acrossOrganizations, acrossTenants } from './tenant.ts';
import { createId } from './values.ts';

/** Which part of a list: what follows the row with this id, and so many rows at most. */
type Part = { after?: string | undefined; limit?: number | undefined };

type List = {
  /** The operator's command, as the trail names it. */
  action: string;
  /** The table that is listed in the order of its `created_at` and `id`, and what one of its rows is called. */
  table: 'users' | 'organizations' | 'invitations';
  called: string;
  newestFirst?: boolean;
  /** The columns of a row, `id` among them, and where they come from. */
  columns: string;
  from: string;
  /** Which rows are listed; without it, all. */
  where?: { condition: string; parameters: readonly unknown[] };
};

/** `at` as PostgreSQL writes it: a JavaScript date has no microseconds. */
type Position = { at: string; id: string };

/** Rows in memory at once. */
const pageRows = 500;

/**
 * With row-level security PostgreSQL expects one row, so it would read and sort the whole table for each page. It would also
 * find that plan expensive, and compile it again for each page.
 */
const byTheIndex = { enable_seqscan: 'off', enable_sort: 'off', jit: 'off' };

/**
 * Lists, of any length, that are read page by page, each page in a short transaction of its own. No page is empty.
 * @throws Error with a sentence where there is no row with the id of `after`
 */
function createPages(orm: Orm, operation: Operation) {
  return async function* pages<Row extends { id: string }>(
    list: List,
    { after, limit = Number.POSITIVE_INFINITY }: Part = {},
  ): AsyncGenerator<Row[]> {
    let position = await operation(list.action, null, (em) => positionOf(em, list, after));
    for (let left = limit; left > 0; ) {
      const pageSize = Math.min(pageRows, left);
      const rows = await acrossOrganizations(orm, (em) => readPage<Row>(em, list, position, pageSize), byTheIndex);
      const last = rows.at(-1);
      if (last === undefined) return;
      position = { at: last.at, id: last.id };
      yield rows.map(({ at: _at, ...row }) => row as unknown as Row);
      if (rows.length < pageSize) return;
      left -= rows.length;
    }
  };
}

async function readPage<Row>(em: EntityManager, list: List, position: Position | undefined, pageSize: number) {
  const { table, columns, from, where, newestFirst } = list;
  const order = newestFirst ? 'desc' : 'asc';
  const conditions = [
    ...(where === undefined ? [] : [`(${where.condition})`]),
    ...(position === undefined
      ? []
      : [`(${table}.created_at, ${table}.id) ${newestFirst ? '<' : '>'} (?::timestamptz, ?)`]),
  ];
  return em.execute<(Row & Position)[]>(
    `select ${columns}, ${table}.created_at::text as at from ${from}
      ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
      order by ${table}.created_at ${order}, ${table}.id ${order} limit ?`,
    [...(where?.parameters ?? []), ...(position === undefined ? [] : [position.at, position.id]), pageSize],
  );
}

async function positionOf(em: EntityManager, { table, called }: List, id: string | undefined) {
  if (id === undefined) return undefined;
  const [row] = await em.execute<Position[]>(`select created_at::text as at, id from ${table} where id = ?`, [id]);
  if (row === undefined) throw new Error(`There is no ${called} ${id}.`);
  return row;
}

type UserRow = {
  id: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  /** Where they sign in, and who they are there. */
  provider: string;
  subject: string;
  onboardedAt: Date | null;
  suspendedAt: Date | null;
  organization: { id: string; name: string };
  /** Of the day's budget. */
  tokensUsed: number;
};

type OrganizationRow = { id: string; name: string; industry: string | null; users: number; tokensUsed: number };

/** What was used of a budget in the trailing 24 hours, as open_turn counts it: what is not settled counts for an hour. */
const tokensUsed = (whose: string) => `(select coalesce(sum(tokens), 0)::float8 from token_uses
    where ${whose} and used_at > now() - interval '24 hours'
      and (settled or used_at > now() - interval '1 hour')) as "tokensUsed"`;

const users = {
  table: 'users',
  called: 'user',
  columns: `users.id, users.name, email, email_verified as "emailVerified", provider, subject,
    onboarded_at as "onboardedAt", suspended_at as "suspendedAt",
    json_build_object('id', users.org_id, 'name', organizations.name) as organization,
    ${tokensUsed('token_uses.user_id = users.id and token_uses.org_id = users.org_id')}`,
  from: 'users join organizations on organizations.id = users.org_id join identities on identities.user_id = users.id',
} as const;

type Invited = {
  id: string;
  note: string | null;
  /** The organization that its holder joins; null means one of their own. */
  organization: { id: string; name: string } | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  /** The id of the user who came with it. */
  usedBy: string | null;
};

/** Who there is, and who may come: people, organizations and invitations. */
export function createDirectory(orm: Orm, operation: Operation) {
  const pages = createPages(orm, operation);
  return {
    /** Everybody, by the account that they sign in with: two people may claim one name and one address. */
    listUsers: (part?: Part) => pages<UserRow>({ ...users, action: 'list-users' }, part),

    /** Those whose name, address or id has `text` in it, in small letters or large. PostgreSQL reads all of them for that. */
    findUsers: (text: string, part?: Part) => {
      const has = (column: string) => `strpos(lower(${column}), lower(?)) > 0`;
      const condition = ['users.name', 'email', 'users.id'].map(has).join(' or ');
      const where = { condition, parameters: [text, text, text] };
      return pages<UserRow>({ ...users, action: 'find-user', where }, part);
    },

    /** With the number of users whose present organization each is. */
    listOrganizations: (part?: Part) =>
      pages<OrganizationRow>(
        {
          action: 'list-organizations',
          table: 'organizations',
          called: 'organization',
          columns: `organizations.id, name, industry,
            (select count(*)::int from users where users.org_id = organizations.id) as users,
            ${tokensUsed('token_uses.org_id = organizations.id')}`,
          from: 'organizations',
        },
        part,
      ),

    /** Makes an invitation for `days` days. Its token is given here and never again: only a hash of it is stored. */
    invite: (options: { organization?: string | undefined; days: number; note?: string | undefined }) => {
      const id = createId();
      return operation('invite', id, async (em) => {
        const { organization = null, days, note = null } = options;
        if (organization !== null && (await em.count(Organization, { id: organization }, acrossTenants)) === 0) {
          throw new Error(`There is no organization ${organization}.`);
        }
        const token = randomBytes(32).toString('base64url');
        const [row] = await em.execute<{ expiresAt: string }[]>(
          `insert into invitations (id, token_hash, joins, note, expires_at)
            values (?, ?, ?, ?, now() + make_interval(days => ?)) returning expires_at as "expiresAt"`,
          [id, tokenHash(token), organization, note, days],
        );
        if (row === undefined) throw new Error('The invitation was not stored.');
        return { id, token, expiresAt: new Date(row.expiresAt) };
      });
    },

    /** All that were not revoked, the newest first, in pages. */
    listInvitations: (part?: Part) =>
      pages<Invited>(
        {
          action: 'list-invitations',
          table: 'invitations',
          called: 'invitation',
          newestFirst: true,
          columns: `invitations.id, note, invitations.created_at as "createdAt", expires_at as "expiresAt",
            used_at as "usedAt", used_by as "usedBy",
            (select json_build_object('id', joins, 'name', name) from organizations where id = joins) as organization`,
          from: 'invitations',
        },
        part,
      ),

    /** Takes an invitation back. A person who has used it stays. */
    revokeInvitation: (id: string) =>
      operation('revoke-invitation', id, async (em) => {
        const deleted = await em.nativeDelete(Invitation, { id });
        if (deleted === 0) throw new Error(`There is no invitation ${id}.`);
      }),
  };
}

/** A message that a request has stored: whose, where and when, and never what it says. */
type FoundMessage = {
  position: number;
  createdAt: Date;
  role: 'USER' | 'ASSISTANT';
  conversationId: string;
  user: { id: string; name: string | null; email: string | null };
  organization: { id: string; name: string };
  /** The other fields are an answer's; `stopReason` is null where it was cut short. */
  stopReason: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
};

/** A line of the trail that a request has left. */
type FoundEvent = {
  position: number;
  createdAt: Date;
  action: string;
  actor: string | null;
  subject: string | null;
  details: unknown;
};

/** As much of an id as log lines and rows have. Releases up to 1.1.0 stored the ids of messages whole. */
const maxCharacters = 128;

export function createRequestSearch(operation: Operation) {
  return {
    /** What a request has left behind, at most so many of each: clients choose these ids, and may use one again and again. */
    findRequest(requestId: string, limit: number) {
      const storedId = requestId.slice(0, maxCharacters);
      return operation('find-request', storedId, async (em) => ({
        messages: await em.execute<FoundMessage[]>(
          `select position::float8 as position, message.created_at as "createdAt", message.role, conversation_id as "conversationId",
                  json_build_object('id', users.id, 'name', users.name, 'email', email) as user,
                  json_build_object('id', organizations.id, 'name', organizations.name) as organization,
                  stop_reason as "stopReason", model, input_tokens as "inputTokens", output_tokens as "outputTokens"
             from chat_messages message
               join users on users.id = message.user_id join organizations on organizations.id = message.org_id
            where request_id in (?, ?) order by position limit ?`,
          [storedId, requestId, limit],
        ),
        events: await em.execute<FoundEvent[]>(
          `select position::float8 as position, created_at as "createdAt", action, actor, subject, details
             from audit_events where request_id in (?, ?) order by position limit ?`,
          [storedId, requestId, limit],
        ),
      }));
    },
  };
}
