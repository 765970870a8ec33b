import { randomUUID } from 'node:crypto';
import { type Client, callFunction, nativeClient } from './client.ts';
import { createId } from './ids.ts';
import type { Orm } from './orm.ts';
import { createPeople } from './people.ts';
import { createPrune } from './pruning.ts';
import { createTurns, type Scope, type Turns } from './turns.ts';

/** As much of `pg`'s pool as this needs. */
type Pool = { connect(): Promise<Client & { release(): void }> };

const origin = { requestId: 'doctor', addressHash: 'doctor' };

/** Far more than a turn uses. */
const budgets = { user: 1_000_000, organization: 1_000_000 };

/**
 * Signs a person up on a PostgreSQL server, asks, stores an answer and signs them out, with and without budgets. It calls every
 * function that a turn may call. All of it is one transaction that is rolled back, so nobody sees it.
 * @throws what the database says where the login may not do it
 */
export async function tryTurn(orm: Orm): Promise<void> {
  const pool = (await nativeClient(orm)) as unknown as Pool;
  const connection = await pool.connect();
  try {
    await connection.query('begin', []);
    await playThrough(connection);
  } finally {
    await connection.query('rollback', []).finally(() => connection.release());
  }
}

async function playThrough(client: Client): Promise<void> {
  const people = createPeople(client);
  const signedIn = await people.signIn({
    ...origin,
    provider: 'doctor',
    subject: randomUUID(),
    name: null,
    email: null,
    emailVerified: false,
    invitation: null,
    maySignUp: true,
  });
  if ('refusal' in signedIn) throw new Error(`Nobody can sign up: ${signedIn.refusal}`);
  const { id: userId, organization } = signedIn.person;
  const scope = { userId, orgId: organization.id };

  const sessionId = randomUUID();
  const inAnHour = Math.ceil(Date.now() / 1000) + 3600;
  const session = JSON.stringify({ userId });
  await callFunction(client, 'begin_session', { session_id: sessionId, session, unix_seconds: inAnHour });
  const found = await callFunction<{ person: unknown } | null>(client, 'find_session', {
    session_id: sessionId,
    unix_seconds: Date.now() / 1000,
  });
  if (!found?.person) throw new Error('A session that has just begun is not found');

  await playTurns(createTurns(client), scope);

  // There is no such invitation, so this asks and moves nobody.
  await people.join({ userId, invitation: randomUUID() }, origin);
  await people.signOut(userId, null, origin);
  await createPrune(client)(new Date(), 36_500, 'doctor');
}

/** One turn without budgets, and one within them. */
async function playTurns(turns: Turns, scope: Scope): Promise<void> {
  const question = { ...scope, conversationId: null, content: 'Is all well?', requestId: origin.requestId };
  const answer = {
    ...scope,
    content: 'All is well.',
    requestId: origin.requestId,
    ...{ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheCreateTokens: 0 },
    ...{ stopReason: 'end_turn', model: 'doctor', promptVersion: 'doctor' },
  };

  const { conversationId } = await turns.open(question);
  await turns.close({ ...answer, id: createId(), conversationId });

  const reservation = { id: createId(), tokens: 1, budgets };
  const opened = await turns.openWithinBudgets({ ...question, conversationId }, reservation);
  if ('refused' in opened) throw new Error('A turn is refused although its budget is not used up');
  const settlement = { id: reservation.id, tokens: 2 };
  await turns.close({ ...answer, id: createId(), conversationId }, settlement);
  await turns.settle(scope, settlement);
}
