import type { Answer } from '../../../server/database/serving/turns.ts';
import type { Scope } from '../../../server/database/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn } from '../../support/people.ts';
import type { TestDatabase } from '../../support/test-database.ts';

type Stored = Pick<TestDatabase, 'database'>;

/** Signs up a user whose name is also the subject at the provider. */
export async function newcomer({ database }: Stored, name: string): Promise<Scope> {
  const { id, organization } = await signIn(database, { subject: name, name, email: null });
  return { userId: id, orgId: organization.id };
}

export function ask(
  { database }: Stored,
  scope: Scope,
  { conversationId, content = 'Where do we start?', requestId = 'request 1' }: Partial<Question> = {},
) {
  return database.turns.open({ ...scope, conversationId, content, requestId });
}

type Question = { conversationId: unknown; content: string; requestId: string };

export function answerIn(conversationId: string, scope: Scope, changes: Partial<Answer> = {}): Answer {
  return {
    ...scope,
    id: 'answer-1',
    conversationId,
    content: 'With the longest wait.',
    requestId: 'request 1',
    inputTokens: 11,
    outputTokens: 12,
    cacheReadTokens: 13,
    cacheCreateTokens: 14,
    stopReason: 'end_turn',
    model: 'claude-test',
    promptVersion: '1.0.0',
    ...changes,
  };
}

export async function refusal(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('Expected a rejection.');
}

/** Resolves when this many statements of the database wait for a lock. */
export async function waitForLocks({ rows }: Pick<TestDatabase, 'rows'>, count: number): Promise<void> {
  const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(async () => ((await rows(waiting))[0]?.count === count ? true : undefined));
}

/**
 * Runs the calls concurrently: while `table` is locked, each waits for a lock, in order. Returns their results. An exclusive lock
 * blocks all writes and row locks. A share lock blocks only writes.
 */
export async function runConcurrently<T>(
  storage: TestDatabase,
  table: string,
  calls: (() => Promise<T>)[],
  mode: 'exclusive' | 'share' = 'exclusive',
): Promise<T[]> {
  const held = Promise.withResolvers<void>();
  const allWait = Promise.withResolvers<void>();
  const holding = storage.orm.em.fork().transactional(async (em) => {
    await em.execute(`lock table ${table} in ${mode} mode`);
    held.resolve();
    await allWait.promise;
  });
  await held.promise;
  const called: Promise<T>[] = [];
  for (const call of calls) {
    called.push(call());
    await waitForLocks(storage, called.length);
  }
  allWait.resolve();
  const [results] = await Promise.all([Promise.all(called), holding]);
  return results;
}
