import type { MessageRow, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';

/** Every row belongs to somebody who asked for it, and nothing else has changed. */
export const scope: Rule = (evidence) => {
  const { records, conversationRows } = evidence;
  const { messages, conversations, others } = records.stored;
  const owners = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const violations: Violation[] = [];

  for (const row of messages) {
    const detail = problemOfRow(row, evidence) ?? problemOfConversation(row, owners.get(row.conversationId));
    if (detail !== null) violations.push({ rule: 'scope', requestId: row.requestId, detail });
  }
  for (const { id, lastMessageAt } of conversations) {
    const rows = conversationRows(id);
    const detail = rows.length === 0 ? 'it holds nothing' : problemOfLastMessage(rows, lastMessageAt);
    const requestId = rows.at(-1)?.requestId;
    if (detail !== null) {
      violations.push({ rule: 'scope', detail: `conversation ${id}: ${detail}`, ...(requestId && { requestId }) });
    }
  }
  for (const [table, fingerprint] of Object.entries(others.before)) {
    if (others.after[table] !== fingerprint)
      violations.push({ rule: 'scope', detail: `the table ${table} has changed` });
  }
  if (records.openTransactions > 0) {
    violations.push({ rule: 'scope', detail: `${records.openTransactions} connections are left in a transaction` });
  }
  return violations;
};

function problemOfRow(row: MessageRow, { questionOfRequest, rowsOf }: Evidence): string | null {
  const asker = questionOfRequest(row.requestId)?.asker;
  if (asker === undefined) return 'a row that nobody asked for';
  if (asker.route === 'demo') return 'demo chat has left a row';
  if (row.orgId !== asker.orgId) return 'the row is in the wrong organization';
  if (row.userId !== asker.userId) return 'the row is the wrong person’s';
  if (row.role === 'USER') return null;
  const hasQuestion = rowsOf(row.requestId).some(
    ({ role, conversationId, position }) =>
      role === 'USER' && conversationId === row.conversationId && position < row.position,
  );
  return hasQuestion ? null : 'an answer without its question before it';
}

function problemOfConversation(row: MessageRow, owner: { orgId: string; userId: string } | undefined): string | null {
  const own = owner?.orgId === row.orgId && owner.userId === row.userId;
  return own ? null : 'the row is in a conversation of somebody else';
}

/** The time is the process's, that of the rows the database's when it began to write: they are on one machine. */
const clockMilliseconds = 50;
const longestWriteMilliseconds = 12_000;

function problemOfLastMessage(rows: readonly MessageRow[], lastMessageAt: number | null): string | null {
  const answered = rows.filter(({ role }) => role === 'ASSISTANT').map(({ createdAt }) => createdAt);
  if (answered.length === 0) return lastMessageAt === null ? null : 'lastMessageAt is set without an answer';
  if (lastMessageAt === null) return 'lastMessageAt is missing';
  const latest = Math.max(...answered);
  const isRight = lastMessageAt >= latest - clockMilliseconds && lastMessageAt <= latest + longestWriteMilliseconds;
  return isRight ? null : `lastMessageAt is ${Math.round(lastMessageAt - latest)} ms after the last answer`;
}
