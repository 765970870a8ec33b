import type { Postgres } from '../../support/postgres-process.ts';
import type { ConversationRow, MessageRow, Stored, SuspendedRow, TokenUseRow } from '../records.ts';

const milliseconds = (column: string) => `extract(epoch from ${column}) * 1000`;

const messages = `select json_build_object(
    'id', id, 'position', position, 'orgId', org_id, 'userId', user_id, 'conversationId', conversation_id,
    'role', role, 'content', content, 'requestId', request_id, 'inputTokens', input_tokens,
    'outputTokens', output_tokens, 'cacheReadTokens', cache_read_tokens, 'cacheCreateTokens', cache_create_tokens,
    'stopReason', stop_reason, 'model', model, 'promptVersion', prompt_version,
    'createdAt', ${milliseconds('created_at')})
  from chat_messages order by position`;

const conversations = `select json_build_object(
    'id', id, 'orgId', org_id, 'userId', user_id, 'lastMessageAt', ${milliseconds('last_message_at')})
  from conversations`;

const tokenUses = `select json_build_object(
    'orgId', org_id, 'userId', user_id, 'tokens', tokens, 'settled', settled, 'usedAt', ${milliseconds('used_at')})
  from token_uses order by used_at`;

const suspended = (userIds: readonly string[]) => `select json_build_object(
    'userId', id, 'isSuspended', suspended_at is not null,
    'sessions', (select count(*) from sessions where user_id = users.id))
  from users where id in (${listed(userIds)})`;

/** The tables that no turn may change. */
const others = ['organizations', 'users', 'memberships', 'identities', 'engagement_states', 'sessions'];

/** Which column says whose a row is, in the tables that a suspension changes. */
const ownerColumns: Record<string, string> = { users: 'id', sessions: 'user_id' };

/** What the database holds, asked past the product and its object mapper; `toSuspend` are those whom the plan suspends. */
export async function readStored(
  { query }: Postgres,
  otherRowsBefore: Record<string, string>,
  toSuspend: readonly string[],
): Promise<Stored> {
  return {
    messages: await query<MessageRow>(messages),
    conversations: await query<ConversationRow>(conversations),
    tokenUses: await query<TokenUseRow>(tokenUses),
    suspended: await query<SuspendedRow>(suspended(toSuspend)),
    others: { before: otherRowsBefore, after: await readOtherRows({ query }, toSuspend) },
  };
}

/** A fingerprint of each table that no turn may change, without what a suspension changes of those whom the plan suspends. */
export async function readOtherRows(
  { query }: Pick<Postgres, 'query'>,
  toSuspend: readonly string[],
): Promise<Record<string, string>> {
  const fingerprints: Record<string, string> = {};
  for (const table of others) {
    const owner = ownerColumns[table];
    const those = owner === undefined ? '' : `where ${owner} is null or ${owner} not in (${listed(toSuspend)})`;
    const [fingerprint] = await query<string>(
      `select to_json(coalesce(md5(string_agg(rows::text, '' order by rows::text)), '')) from ${table} as rows ${those}`,
    );
    fingerprints[table] = fingerprint ?? '';
  }
  return fingerprints;
}

/** Connections that were left in a transaction. */
export async function transactionsLeftOpen({ query }: Pick<Postgres, 'query'>): Promise<number> {
  const [count] = await query<number>(
    `select count(*) from pg_stat_activity where state like 'idle in transaction%' and backend_type = 'client backend'`,
  );
  return count ?? 0;
}

/** As SQL's list; never empty, which SQL does not know. */
function listed(ids: readonly string[]): string {
  return ['', ...ids].map((id) => `'${id}'`).join(', ');
}
