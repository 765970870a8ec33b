import { createHmac, randomBytes } from 'node:crypto';
import { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionData } from 'express-session';
import { pino } from 'pino';
import { ulid } from 'ulid';
import { Agent, Dispatcher1Wrapper } from 'undici';
import { systemClock } from '../../client/chat/clock.ts';
import { type Conversation, createConversation } from '../../client/chat/conversation.ts';
import { canSend } from '../../client/chat/conversation-state.ts';
import { presentableText } from '../../client/chat/presentable-text.ts';
import { createTranscript } from '../../client/chat/transcript.ts';
import { createFakeStorage } from '../../client-package/testing/fake-storage.ts';
import { openAdministration, openDatabase } from '../../server/database/database.ts';
import { errors, splitAppendedError } from '../../shared/errors.ts';
import { headers as names, routes } from '../../shared/interface.ts';
import { origin, signIn } from '../support/people.ts';
import { now, sessionSecret } from './parts.ts';
import { organizationMark, personMark, planTurn, questionMark, type TurnPlan, turnAsked } from './plan.ts';

/** A person with an account, or a visitor at an address. */
export type Asker = { userId: string | null; orgId: string | null; address: string | null; marks: string[] };

/** One turn that a person began. `problem` says what is wrong with what they were shown when it rested for the first time. */
export type Question = { turn: number; asker: Asker; text: string; problem: string | null };

/** One request that a client sent for a turn, and all that came back. `left` by the client itself, `cut` by the other side. */
export type Attempt = {
  turn: number;
  requestId: string;
  askedConversationId: string | null;
  sentAt: number;
  endedAt: number | null;
  ending: 'whole' | 'cut' | 'left' | null;
  status: number | null;
  echoedId: string | null;
  conversationId: string | null;
  promptVersion: string | null;
  retryAfterSeconds: number | null;
  body: string;
};

export type Records = { questions: Question[]; attempts: Attempt[] };

export type Member = { asker: Asker & { userId: string; orgId: string }; mark: string; cookie: string };

const peopleInOrganization = 4;
const dayMilliseconds = 24 * 60 * 60 * 1000;
/** From how many devices, one after the other, a person tries who is told to wait for long or to sign in. */
const maxDevices = 4;
const longestWaitMilliseconds = 90_000;
/** Two more than the limit, so that a visitor meets it before they go on from another address. */
const turnsFromOneAddress = 17;
/** Longer than the retry table, a `Retry-After` and the slowest reply together. */
const stuckMilliseconds = 240_000;

/** People who have signed in and been onboarded, several in each organization, each with an engagement and a session. */
export async function createMembers(urls: { url: string; ownerUrl: string }, count: number): Promise<Member[]> {
  await using opened = new AsyncDisposableStack();
  const settings = { kind: 'postgresql', ...urls } as const;
  const database = await openDatabase(settings, pino({ level: 'silent' }));
  opened.defer(database.close);
  const { administration, close } = await openAdministration(
    settings,
    pino({ level: 'silent' }),
    'operator of the soak',
  );
  opened.defer(close);
  const members: Member[] = [];
  for (let number = 0; number < count; number += 1) {
    const mark = personMark(number);
    const organization = Math.floor(number / peopleInOrganization);
    const { id: userId, organization: own } = await signIn(database, { subject: `${number}`, name: mark, email: null });
    const scope = { orgId: own.id, userId };
    const company = { name: `Castings ${organizationMark(organization)}`, industry: 'Metal casting' };
    const engagement = { hypotheses: [`What ${mark} believes`], unknowns: [] };
    await database.engagements.begin(scope, { company, profile: { role: mark }, engagement }, origin);
    const orgId = members[organization * peopleInOrganization]?.asker.orgId ?? own.id;
    if (orgId !== own.id) {
      await administration.moveUser(userId, orgId);
      const hypotheses = [{ statement: `What ${mark} believes`, status: 'open' as const, evidence: [] }];
      await administration.setEngagementState(userId, { week: 3, hypotheses, unknowns: [], findings: [] });
    }
    const asker = { userId, orgId, address: null, marks: [organizationMark(organization), mark] };
    members.push({ asker, mark, cookie: await beginSession(database, userId) });
  }
  return members;
}

type SessionStore = Awaited<ReturnType<typeof openDatabase>>['sessionStore'];

/** A session as sign-in leaves it, and the cookie that names it. */
export async function beginSession({ sessionStore }: { sessionStore: SessionStore }, userId: string): Promise<string> {
  const sid = randomBytes(24).toString('base64url');
  const expires = new Date(Date.now() + dayMilliseconds);
  const cookie = { originalMaxAge: dayMilliseconds, expires, secure: true, httpOnly: true, path: '/' };
  const data = { cookie, userId, renewedAt: Date.now() } satisfies Partial<SessionData>;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  sessionStore.set(sid, data, (error) => (error ? reject(error) : resolve()));
  await promise;
  const signature = createHmac('sha256', sessionSecret).update(sid).digest('base64').replace(/=+$/, '');
  return `__Host-advisory-chat=${encodeURIComponent(`s:${sid}.${signature}`)}`;
}

export type Pace = ReturnType<typeof createPace>;

/** Hands out the turns, 1 to `turns`, and lets requests through: not faster than the faults, and not at all in a breath. */
export function createPace(turns: number) {
  let begun = 0;
  let allowed = 0;
  let underWay = 0;
  let isOpen = true;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await changed.promise;
  };

  return {
    /** The next turn's number, or undefined when there are no more. */
    async next(): Promise<number | undefined> {
      while (begun >= allowed && begun < turns) await changed.promise;
      if (begun >= turns) return undefined;
      begun += 1;
      change();
      return begun;
    },
    allow(turn: number): void {
      allowed = turn;
      change();
    },
    reached: (turn: number) => until(() => begun >= turn),
    /** Resolves when a request may go out, and counts it until `leave`. */
    async enter(): Promise<void> {
      while (!isOpen) await changed.promise;
      underWay += 1;
    },
    leave(): void {
      underWay -= 1;
      change();
    },
    /** Holds back what comes; resolves when nothing is under way. */
    async close(): Promise<void> {
      isOpen = false;
      await until(() => underWay === 0);
    },
    open(): void {
      isOpen = true;
      change();
    },
  };
}

/** The people: the client's own core, each with a device, who take turns until there are no more. */
export function createPeople(parts: Records & { url: string; seed: number; pace: Pace }) {
  const { url, seed, pace } = parts;

  function open(asker: Asker, headers: Record<string, string>): Conversation {
    return createConversation({
      url: `${url}${asker.userId === null ? routes.demoChat : routes.liveChat}`,
      transcript: createTranscript(createFakeStorage(), 'soak'),
      fetch: createRecordingFetch({ 'X-Forwarded-Proto': 'https', ...headers }, parts),
      clock: systemClock,
      createRequestId: ulid,
    });
  }

  async function turn(number: number, conversation: Conversation, asker: Asker): Promise<void> {
    const plan = planTurn(seed, number);
    await delay(plan.thinkMilliseconds);
    if (plan.asking === 'in a new conversation') conversation.startOver();
    // The service may have asked to wait.
    await stateOf(conversation, canSend);
    await takeTurn(conversation, { turn: number, asker, plan }, parts);
  }

  return {
    /** A signed-in person with one tab. Who is refused tries from another device, and gives up in the end. */
    async member({ asker, cookie }: Member): Promise<void> {
      for (let devices = 0; devices < maxDevices; devices += 1) {
        const conversation = open(asker, { Cookie: cookie });
        while (!isTurnedAway(conversation)) {
          const number = await pace.next();
          if (number === undefined) return;
          await turn(number, conversation, asker);
        }
      }
    },

    /** Someone without an account; `place` names the addresses that all who are there come from, one after the other. */
    async visitor(place: string): Promise<void> {
      for (let visits = 1; ; visits += 1) {
        const asker = { userId: null, orgId: null, address: `${place}.${visits}`, marks: [] };
        const conversation = open(asker, { 'X-Forwarded-For': `${asker.address}, 192.0.2.1` });
        for (let left = turnsFromOneAddress; left > 0 && canSend(conversation.getState()); left -= 1) {
          const number = await pace.next();
          if (number === undefined) return;
          await turn(number, conversation, asker);
        }
      }
    },
  };
}

function isTurnedAway({ getState }: Conversation): boolean {
  const { wasRefused, blockedUntil } = getState();
  return wasRefused || (blockedUntil ?? 0) > systemClock.now() + longestWaitMilliseconds;
}

type State = ReturnType<Conversation['getState']>;

function stateOf({ getState, subscribe }: Conversation, isSo: (state: State) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => isSo(getState()) && resolve();
  const unsubscribe = subscribe(look);
  look();
  return promise.finally(unsubscribe);
}

/** One person's turn, from the question to where they leave it at: read to the end, stopped, left, or tried again. */
async function takeTurn(
  conversation: Conversation,
  { turn, asker, plan }: { turn: number; asker: Asker; plan: TurnPlan },
  { questions, attempts }: Records,
): Promise<void> {
  const text = `${questionMark(turn)} ${plan.words}`;
  const question: Question = { turn, asker, text, problem: null };
  questions.push(question);
  const inPlace = plan.asking === 'in the place of the last' && conversation.getState().turns.length > 0;
  if (inPlace) conversation.edit();
  const isStuck = await ended(conversation, plan, () => conversation.send(text));
  const last = attempts.findLast((attempt) => attempt.turn === turn);
  if (isStuck) question.problem = 'it came to no end';
  else if (!inPlace) question.problem = problemOfShown(conversation.getState(), last);

  for (let again = 0; again < plan.triesAgain; again += 1) {
    const { turns, setAside } = conversation.getState();
    const shown = turns.at(-1);
    if (shown?.question !== text || shown.ending?.type === 'done' || setAside !== null) break;
    await delay(plan.patienceMilliseconds);
    if (!canSend(conversation.getState())) break;
    if (await ended(conversation, plan, () => conversation.tryAgain())) question.problem = 'it came to no end';
  }
  conversation.cancelEdit();
}

/** Does `ask` and, while it runs, what the plan says about leaving. Resolves with whether it came to no end. */
async function ended(conversation: Conversation, plan: TurnPlan, ask: () => Promise<unknown>): Promise<boolean> {
  const { leavesAfterMilliseconds: early, leavesAfterCharacters: late } = plan;
  const leave = (how: string) => (how === 'stop' ? conversation.stop() : conversation.leave());
  const timer = early && setTimeout(leave, early.after, early.how);
  const unsubscribe = conversation.subscribe(() => {
    const { phase, turns } = conversation.getState();
    const characters = turns.at(-1)?.reply.length ?? 0;
    if (late && phase.name === 'streaming' && characters >= late.after) leave(late.how);
  });
  const over = new AbortController();
  const stuck = delay(stuckMilliseconds, true, { signal: over.signal }).catch(() => false);
  const isStuck = await Promise.race([ask().then(() => false), stuck]);
  over.abort();
  unsubscribe();
  if (timer) clearTimeout(timer);
  if (isStuck) conversation.stop();
  return isStuck;
}

/** What the client's core shows has to be what it has received. */
function problemOfShown({ turns, wasRefused }: State, last: Attempt | undefined): string | null {
  const { ending = null, reply = '' } = turns.at(-1) ?? {};
  const shown = wasRefused ? 'refused' : ending?.type;
  if (shown === 'stopped' || shown === 'left') return null;
  if (last === undefined) return 'it was never sent';
  const { text, code } = splitAppendedError(last.status === 200 ? last.body : '');
  let expected = { shown: last.status === 200 && code === undefined ? 'done' : 'failed', reply: text };
  // Nobody knows what a cut tail would have become: what may begin an error line is not shown.
  if (last.ending === 'cut') expected = { shown: 'interrupted', reply: presentableText(text) };
  else if (last.status === errors.UNAUTHENTICATED.status) return shown === 'refused' ? null : `shown as ${shown}`;
  if (shown === expected.shown && reply === expected.reply) return null;
  return `shown as ${shown} with ${reply.length} characters, but it is ${expected.shown} with ${expected.reply.length}`;
}

/** Connections are given up long before the server closes them: a request must not meet a closing one. */
const agent = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
const dispatcher = new Dispatcher1Wrapper(agent);

export const closeConnections = () => agent.close();

/** `fetch` with these headers added, which notes each request and all that comes back. */
function createRecordingFetch(
  added: Record<string, string>,
  { attempts, pace, seed }: Records & { pace: Pace; seed: number },
): typeof fetch {
  return async (input, init = {}) => {
    const sent: { messages: { content: string }[]; conversationId?: string } = JSON.parse(String(init.body));
    const headers = new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...added });
    await pace.enter();
    const attempt: Attempt = {
      turn: turnAsked(sent.messages.at(-1)?.content ?? ''),
      requestId: headers.get(names.requestId) ?? '',
      askedConversationId: sent.conversationId ?? null,
      sentAt: now(),
      endedAt: null,
      ending: null,
      status: null,
      echoedId: null,
      conversationId: null,
      promptVersion: null,
      retryAfterSeconds: null,
      body: '',
    };

    function end(ending: NonNullable<Attempt['ending']>): void {
      if (attempt.ending !== null) return;
      Object.assign(attempt, { ending, endedAt: now() });
      pace.leave();
    }

    async function* noted(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      const milliseconds = planTurn(seed, attempt.turn).readingMillisecondsPerChunk;
      try {
        for await (const chunk of body) {
          attempt.body += decoder.decode(chunk, { stream: true });
          yield chunk;
          if (milliseconds !== null) await delay(milliseconds);
        }
        end('whole');
      } catch (error) {
        end('cut');
        throw error;
      }
    }

    init.signal?.addEventListener('abort', () => end('left'), { once: true });
    try {
      init.signal?.throwIfAborted();
      attempts.push(attempt);
      const response = await fetch(input, { ...init, headers, dispatcher } as RequestInit);
      attempt.status = response.status;
      attempt.echoedId = response.headers.get(names.requestId);
      attempt.conversationId = response.headers.get(names.conversationId);
      attempt.promptVersion = response.headers.get(names.promptVersion);
      const retryAfter = response.headers.get('Retry-After');
      attempt.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
      const body = response.body && WebStream.from(noted(response.body));
      if (body === null) end('whole');
      return new Response(body as BodyInit | null, { status: response.status, headers: response.headers });
    } catch (error) {
      end('cut');
      throw error;
    }
  };
}
