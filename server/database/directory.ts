import { randomBytes } from 'node:crypto';
import type { Operation } from './audit.ts';
import { Invitation, Organization } from './entities.ts';
import type { EntityManager } from './orm.ts';
import { tokenHash } from './people.ts';
import { acrossTenants } from './tenant.ts';
import { createId } from './values.ts';

/** How many rows a list has at most, where nothing else is asked for. */
export const defaultLimit = 1_000;

/** Which part of a list: what follows the row with the id `after`, and at most `limit` rows. */
type Part = { after?: string | undefined; limit?: number | undefined };

/** A part of a list, and whether more rows follow it. */
export type Listed<Row> = { rows: readonly Row[]; more: boolean };

type List = {
  /** The operator's command, as the trail names it. */
  action: string;
  /** The table that is listed in the order of its `created_at` and `id`, and what one of its rows is called. */
  table: 'users' | 'organizations' | 'invitations';
  called: string;
  newestFirst?: boolean;
  columns: string;
  /** The table with those that are joined to it. */
  from: string;
  /** Which rows are listed; without it, all. */
  where?: { condition: string; parameters: readonly unknown[] };
};

/** @throws Error with a sentence where there is no row with the id of `after` */
async function listRows<Row>(
  em: EntityManager,
  list: List,
  { after, limit = defaultLimit }: Part,
): Promise<Listed<Row>> {
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
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

async function requireRow(em: EntityManager, { table, called }: List, id: string): Promise<void> {
  const found = await em.execute(`select 1 from ${table} where id = ?`, [id]);
  if (found.length === 0) throw new Error(`There is no ${called} ${id}.`);
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
export function createDirectory(operation: Operation) {
  const list = <Row>(listed: List, part: Part = {}): Promise<Listed<Row>> =>
    operation(listed.action, null, (em) => listRows<Row>(em, listed, part));

  return {
    /** Everybody, by the account that they sign in with: two people may claim one name and one address. */
    listUsers: (part?: Part) => list<UserRow>({ ...users, action: 'list-users' }, part),

    /** Those whose name, address or id has `text` in it, in small letters or large. PostgreSQL reads all of them for that. */
    findUsers: (text: string, part?: Part) => {
      const has = (column: string) => `strpos(lower(${column}), lower(?)) > 0`;
      const condition = ['users.name', 'email', 'users.id'].map(has).join(' or ');
      const where = { condition, parameters: [text, text, text] };
      return list<UserRow>({ ...users, action: 'find-user', where }, part);
    },

    /** With the number of users whose present organization each is. */
    listOrganizations: (part?: Part) =>
      list<OrganizationRow>(
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

    /** All that were not revoked, the newest first. */
    listInvitations: (part?: Part) =>
      list<Invited>(
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
    /**
     * The messages and the lines of the trail that have this request id, at most `limit` of each: clients choose these ids, and
     * may use one again and again.
     */
    findRequest(requestId: string, limit = defaultLimit) {
      const storedId = requestId.slice(0, maxCharacters);
      return operation('find-request', storedId, async (em) => {
        const messages = await em.execute<FoundMessage[]>(
          `select position::float8 as position, message.created_at as "createdAt", message.role, conversation_id as "conversationId",
                  json_build_object('id', users.id, 'name', users.name, 'email', email) as user,
                  json_build_object('id', organizations.id, 'name', organizations.name) as organization,
                  stop_reason as "stopReason", model, input_tokens as "inputTokens", output_tokens as "outputTokens"
             from chat_messages message
               join users on users.id = message.user_id join organizations on organizations.id = message.org_id
            where request_id in (?, ?) order by position limit ?`,
          [storedId, requestId, limit + 1],
        );
        const events = await em.execute<FoundEvent[]>(
          `select position::float8 as position, created_at as "createdAt", action, actor, subject, details
             from audit_events where request_id in (?, ?) order by position limit ?`,
          [storedId, requestId, limit + 1],
        );
        const more = messages.length > limit || events.length > limit;
        return { messages: messages.slice(0, limit), events: events.slice(0, limit), more };
      });
    },
  };
}
