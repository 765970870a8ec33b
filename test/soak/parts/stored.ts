import type { Postgres } from '../../support/postgres-process.ts';
import type { ConversationRow, MessageRow, Stored } from '../records.ts';

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

/** The tables that no turn may change. */
const others = ['organizations', 'users', 'memberships', 'identities', 'engagement_states', 'sessions'];

/** What the database holds, asked past the product and its object mapper. */
export async function readStored({ query }: Postgres, otherRowsBefore: Record<string, string>): Promise<Stored> {
  return {
    messages: await query<MessageRow>(messages),
    conversations: await query<ConversationRow>(conversations),
    others: { before: otherRowsBefore, after: await readOtherRows({ query }) },
  };
}

/** A fingerprint of each table that no turn may change. */
export async function readOtherRows({ query }: Pick<Postgres, 'query'>): Promise<Record<string, string>> {
  const fingerprints: Record<string, string> = {};
  for (const table of others) {
    const [fingerprint] = await query<string>(
      `select to_json(coalesce(md5(string_agg(rows::text, '' order by rows::text)), '')) from ${table} as rows`,
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
