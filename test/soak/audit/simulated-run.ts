import {
  budgetSentences,
  type ErrorCode,
  errorSentence,
  errors,
  formatAppendedError,
  formatError,
} from '../../../shared/errors.ts';
import { organizationMark, personMark, questionMark, replyMark } from '../marks.ts';
import { fates } from '../plan/fates.ts';
import { planReply, planTurn } from '../plan/turn-plan.ts';
import type { Asker, Attempt, ProviderReply, Question, Records, Sample } from '../records.ts';
import { conversationIdOf, createSimulatedDatabase, firstPart, isLeft } from './simulated-database.ts';

/** A second passes between two turns, and a turn is over within it. */
const secondMilliseconds = 1_000;
/** Enough for every kind of turn, mostly. */
export const simulatedTurns = 60;

const begin = 1_700_000_000_000;

export const budgetRefusal = `RATE_LIMITED: ${errorSentence('RATE_LIMITED', 80_000, budgetSentences.user)}`;

type Member = Extract<Asker, { route: 'live' }>;

const member = (number: number): Member => ({
  route: 'live',
  userId: `user-${number}`,
  orgId: `organization-${number % 2}`,
  organizationMark: organizationMark(number % 2),
  personMark: personMark(number),
});
const members: readonly Member[] = [0, 1, 2, 3].map(member);
const suspendedMember = member(4);
const spender = member(5);

/**
 * The records of a run in which everything went as it should, without any part of the product: what the audit must have
 * nothing to say about. Turns fail in every way that the provider's plan knows, some are left, some tried again; in the
 * middle the process is killed, and the database is away for one turn. In the end one person is suspended in mid-reply, and
 * another comes to the end of their budget.
 */
export function simulateRun(seed: number, turns = simulatedTurns): Records {
  const questions: Question[] = [];
  const attempts: Attempt[] = [];
  const replies: ProviderReply[] = [];
  const database = createSimulatedDatabase();
  const awayTurn = 1 + 5 * Math.floor(turns / 20);
  const killedTurn = 1 + 5 * Math.floor(turns / 10);
  const databaseAwayAt = begin + awayTurn * secondMilliseconds;
  const killedAt = begin + killedTurn * secondMilliseconds + 250;

  for (let turn = 1; turn <= turns; turn += 1) {
    const startedAt = begin + turn * secondMilliseconds;
    const plan = planTurn(seed, turn);
    const asker: Asker =
      turn % 5 === 0
        ? { route: 'demo', address: `home-${Math.floor(turn / 50)}` }
        : (members[turn % members.length] ?? { route: 'demo', address: 'nowhere' });
    const question: Question = { turn, asker, text: `${questionMark(turn)} ${plan.words}`, shown: null };
    questions.push(question);
    const isKilled = turn === killedTurn;
    if (turn === awayTurn) {
      attempts.push(attempt(question, 1, startedAt, { status: 500, body: formatError('INTERNAL') }));
      question.shown = { attempts: 1, ending: 'failed', reply: '', stuck: false };
      continue;
    }
    // The second time a reply that had failed before any text goes well.
    for (let count = 1; count <= 2; count += 1) {
      const reply = replyTo(question, count, startedAt + count * 200, isKilled || count === 2);
      replies.push(reply);
      database.store(question, reply, isKilled);
      const code = fates[reply.fate].before;
      if (code !== null) {
        const sent = asker.route === 'demo' && !demoCodes.has(code) ? 'UPSTREAM_ERROR' : code;
        attempts.push(answered(question, count, reply, { status: errors[sent].status, body: formatError(sent) }));
        continue;
      }
      attempts.push(answered(question, count, reply, outcomeOf(reply, isKilled)));
      break;
    }
    shownAsItEnded(question);
  }

  const lastSeen = turns + 1;
  endedInTheMiddle(lastSeen);
  refusedWith(lastSeen + 1, suspendedMember, { status: 401, body: formatError('UNAUTHENTICATED') });
  const suspendedAt = begin + lastSeen * secondMilliseconds + 50;
  expensive(lastSeen + 3);
  refusedWith(lastSeen + 5, spender, {
    status: 429,
    body: budgetRefusal,
    retryAfterSeconds: 80_000,
  });

  const idle: Sample = {
    life: 0,
    progress: 0,
    heapUsedBytes: 50 * 2 ** 20,
    residentBytes: 200 * 2 ** 20,
    resources: { TCPSocketWrap: 2, TCPServerWrap: 1, Timeout: 1 },
    longestStallMilliseconds: 40,
  };
  const untouched = { users: 'four', organizations: 'two' };
  const end = begin + (turns + 8) * secondMilliseconds;
  return {
    questions,
    attempts,
    replies,
    stored: {
      messages: database.messages,
      conversations: [...database.conversations.values()],
      tokenUses: database.tokenUses,
      suspended: [{ userId: suspendedMember.userId, isSuspended: true, sessions: 0 }],
      others: { before: untouched, after: { ...untouched } },
    },
    openTransactions: 0,
    faults: [
      { kind: 'product killed', from: killedAt, mendedAt: killedAt + 500, failing: ['product killed'] },
      { kind: 'database away', from: databaseAwayAt, mendedAt: databaseAwayAt + 500, failing: ['database'] },
    ],
    suspensions: [{ userId: suspendedMember.userId, from: suspendedAt, doneAt: suspendedAt + 10 }],
    budgets: { user: 1_000_000, organization: 10_000_000, demo: 10_000_000 },
    lives: [
      { startedAt: begin, exitedAt: killedAt, killed: true, code: null },
      { startedAt: killedAt, exitedAt: end, killed: false, code: 0 },
    ],
    samples: {
      idleBefore: idle,
      between: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((progress) => ({ ...idle, life: 1, progress })),
      idleAfter: { ...idle, life: 1, progress: 1 },
    },
    awayFromRedis: [],
    redisEmptiedAt: [],
    limits: { live: { requests: 60, windowSeconds: 60 }, demo: { requests: 15, windowSeconds: 3600 } },
    longestStallMilliseconds: 40,
    logLines: ['{"level":30,"msg":"request"}'],
  };

  function replyTo({ turn, asker }: Question, count: number, arrivedAt: number, isGood: boolean): ProviderReply {
    const plan = planReply(seed, turn, count);
    const { outputTokens, cacheReadTokens, cacheCreateTokens, stopReason } = plan;
    const fate = isGood ? 'reply' : plan.fate;
    const isWhole = fate === 'reply' || fate === 'slow reply';
    const hasText = (isWhole && plan.deltas.length > 0) || fates[fate].after;
    return {
      turn,
      attempt: count,
      fate,
      arrivedAt,
      endedAt: arrivedAt + 100,
      text: hasText ? [replyMark(turn, count), ...plan.deltas].join(' ') : '',
      whole: isWhole,
      usage: { inputTokens: replies.length + 1, outputTokens, cacheReadTokens, cacheCreateTokens },
      stopReason,
      maxTokens: asker.route === 'live' ? 4096 : 2048,
      marks: asker.route === 'live' ? [asker.organizationMark, asker.personMark] : [],
      turnsNamed: [turn],
      promptCharacters: 8_000,
    };
  }

  function asked(turn: number, asker: Member): Question {
    const question: Question = { turn, asker, text: `${questionMark(turn)} Why?`, shown: null };
    questions.push(question);
    return question;
  }

  /** A reply whose session is ended, of which half has come. */
  function endedInTheMiddle(turn: number): void {
    const question = asked(turn, suspendedMember);
    const reply = replyTo(question, 1, begin + turn * secondMilliseconds, true);
    Object.assign(reply, { fate: 'slow reply', whole: false, text: `${replyMark(turn, 1)} half of it` });
    replies.push(reply);
    database.store(question, reply, false);
    const body = reply.text + formatAppendedError('UPSTREAM_ERROR');
    attempts.push(answered(question, 1, reply, { status: 200, body }));
    shownAsItEnded(question);
  }

  /** A reply that uses up its person's budget. */
  function expensive(turn: number): void {
    const question = asked(turn, spender);
    const reply = replyTo(question, 1, begin + turn * secondMilliseconds, true);
    Object.assign(reply, { whole: true, text: `${replyMark(turn, 1)} all of it` });
    reply.usage.cacheReadTokens = 1_000_000;
    replies.push(reply);
    database.store(question, reply, false);
    attempts.push(answered(question, 1, reply, { status: 200, body: reply.text }));
    shownAsItEnded(question);
  }

  function refusedWith(turn: number, asker: Member, seen: Partial<Attempt>): void {
    const question = asked(turn, asker);
    attempts.push(attempt(question, 1, begin + turn * secondMilliseconds, seen));
    question.shown = { attempts: 1, ending: seen.status === 401 ? 'refused' : 'failed', reply: '', stuck: false };
  }

  /** What was being written when the process was killed is cut. */
  function outcomeOf(reply: ProviderReply, isKilled: boolean): Partial<Attempt> {
    const { text, fate } = reply;
    if (isKilled) return { status: 200, body: firstPart(text, 0.1), ending: 'cut' };
    if (isLeft(reply)) return { status: 200, body: firstPart(text, 0.5), ending: 'left' };
    return { status: 200, body: fates[fate].after ? text + formatAppendedError('UPSTREAM_ERROR') : text };
  }

  function attempt({ turn }: Question, count: number, sentAt: number, seen: Partial<Attempt>): Attempt {
    const requestId = `request-${turn}`;
    return {
      turn,
      requestId,
      askedConversationId: null,
      sentAt,
      endedAt: sentAt + 150 * count,
      ending: 'whole',
      status: null,
      headers: { requestId, conversationId: null, promptVersion: null },
      retryAfterSeconds: null,
      body: '',
      ...seen,
    };
  }

  function answered(question: Question, count: number, reply: ProviderReply, seen: Partial<Attempt>): Attempt {
    const { asker } = question;
    const requestId = `request-${question.turn}`;
    const isLive = asker.route === 'live';
    const conversationId = isLive ? conversationIdOf(asker) : null;
    const headers = { requestId, conversationId, promptVersion: isLive && seen.status === 200 ? '1.0.0' : null };
    const around = { sentAt: reply.arrivedAt - 20, endedAt: reply.arrivedAt + 110 };
    return { ...attempt(question, count, around.sentAt, seen), ...around, headers };
  }

  function shownAsItEnded(question: Question): void {
    const own = attempts.filter(({ turn }) => turn === question.turn);
    const last = own.at(-1);
    if (last === undefined) return;
    const failed = last.status !== 200 || last.body.endsWith(formatAppendedError('UPSTREAM_ERROR'));
    const endings = { cut: 'interrupted', left: 'stopped', whole: failed ? 'failed' : 'done' };
    const line = formatAppendedError('UPSTREAM_ERROR');
    const text = last.status === 200 ? last.body : '';
    const reply = text.endsWith(line) ? text.slice(0, -line.length) : text;
    question.shown = { attempts: own.length, ending: endings[last.ending ?? 'cut'], reply, stuck: false };
  }
}

const demoCodes = new Set<ErrorCode>(['UPSTREAM_OVERLOADED', 'UPSTREAM_ERROR']);
