import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent, fetch } from 'undici';
import { displayableText } from '../../client/chat/attempt.ts';
import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers as names, routes } from '../../shared/interface.ts';
import { nextDelaySeconds } from '../../shared/retry.ts';
import { now, planTurn } from './provider.ts';

/** A member or, without a cookie, a visitor. `marks` identify a member and their organization in their prompt. */
export type Seat = {
  name: string;
  cookie: string | null;
  userId: string | null;
  orgId: string | null;
  marks: string[];
};

/** `asker` is the subject of the rate limit: a member, or the address of a visitor. */
type TurnRecord = Omit<Seat, 'name' | 'cookie'> & {
  turn: number;
  requestId: string;
  asker: string;
  question: string;
};

/** One request and its response. The client has `aborted` it, the other side has `cut` it, or it never ended (null). */
type AttemptRecord = {
  turn: number;
  sentAt: number;
  endedAt: number;
  ending: 'complete' | 'cut' | 'aborted' | null;
  status: number | null;
  conversation: string | null;
  wait: string | null;
  /** The text of the reply that a client shows. */
  seen: string;
  code: string | undefined;
};

export type Records = { turns: TurnRecord[]; attempts: AttemptRecord[] };

/** Exceeds the limit by two, so that visitors reach the limit before their address changes. */
const turnsFromOneAddress = 17;
const maxWaitSeconds = 5;
/** A turn counts as stuck after this time, which is longer than the slowest reply. */
const stuckMilliseconds = 60_000;

/** Idle connections are closed long before the server closes them, so that no request is sent on a closing connection. */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

export const closeConnections = () => dispatcher.close();

/** Creates a person with one tab, who takes turns and follows the retry table. */
export function createPerson(seat: Seat, { url, seed, turns, attempts }: Records & { url: string; seed: number }) {
  const { name, cookie, ...person } = seat;
  let taken = 0;
  let messages: { role: string; content: string }[] = [];
  let conversationId: string | undefined;

  return async function takeTurn(turn: number): Promise<void> {
    const plan = planTurn(seed, turn);
    await delay(plan.thinkMilliseconds);
    const asker = cookie === null ? `${name}.${Math.floor(taken / turnsFromOneAddress)}` : name;
    const isNewAddress = cookie === null && taken % turnsFromOneAddress === 0;
    taken += 1;
    if (plan.inNewConversation || isNewAddress) [messages, conversationId] = [[], undefined];
    const newTurn: TurnRecord = {
      ...person,
      turn,
      requestId: ulid(),
      asker,
      question: `[question ${turn}] ${plan.words}`,
    };
    turns.push(newTurn);

    const history = [...messages, { role: 'user', content: newTurn.question }];
    const failures: { code: string; retryAfterSeconds: number }[] = [];
    for (let cuts = 0; cuts <= plan.triesAgain; ) {
      const { ending, conversation, wait, seen, code } = await ask(newTurn, history);
      conversationId = conversation ?? conversationId;
      // Only the start of a long reply is sent again, because the tokens that a turn reserves grow with its request.
      if (seen !== '') messages = [...history, { role: 'assistant', content: seen.slice(0, 1_000) }];
      if (seen !== '' || ending === 'aborted' || ending === null) return;
      if (ending === 'cut') cuts += 1;
      else if (code === undefined) return;
      else failures.push({ code, retryAfterSeconds: Number(wait) });
      const seconds = ending === 'cut' ? 1 : nextDelaySeconds(failures);
      if (seconds === null || seconds > maxWaitSeconds) return;
      await delay(seconds * 1000);
    }
  };

  async function ask({ turn, requestId, asker }: TurnRecord, messages: unknown): Promise<AttemptRecord> {
    const { leavesAfterMilliseconds, leavesAfterCharacters, readingMillisecondsPerChunk } = planTurn(seed, turn);
    const noResult = { ending: null, status: null, conversation: null, wait: null, code: undefined };
    const attempt: AttemptRecord = { ...noResult, turn, sentAt: now(), endedAt: Infinity, seen: '' };
    attempts.push(attempt);
    const disconnect = new AbortController();
    const stuck = AbortSignal.timeout(stuckMilliseconds);
    const timer = leavesAfterMilliseconds !== null && setTimeout(() => disconnect.abort(), leavesAfterMilliseconds);
    let body = '';
    try {
      const response = await fetch(url + (cookie === null ? routes.demoChat : routes.liveChat), {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-Proto': 'https',
          [names.requestId]: requestId,
          ...(cookie === null ? { 'X-Forwarded-For': `${asker}, 192.0.2.1` } : { Cookie: cookie }),
        },
        body: JSON.stringify({ messages, conversationId }),
        signal: AbortSignal.any([disconnect.signal, stuck]),
        dispatcher,
      });
      attempt.status = response.status;
      attempt.conversation = response.headers.get(names.conversationId);
      attempt.wait = response.headers.get('Retry-After');
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const chunk of response.body ?? []) {
        body += decoder.decode(chunk, { stream: true });
        if (leavesAfterCharacters !== null && body.length >= leavesAfterCharacters) disconnect.abort();
        if (readingMillisecondsPerChunk !== null) await delay(readingMillisecondsPerChunk);
      }
      attempt.ending = 'complete';
    } catch {
      if (!stuck.aborted) attempt.ending = disconnect.signal.aborted ? 'aborted' : 'cut';
    }
    attempt.endedAt = now();
    clearTimeout(timer || undefined);
    if (attempt.status !== 200) attempt.code = parseErrorCode(body);
    else if (attempt.ending !== 'complete') attempt.seen = displayableText(body);
    else ({ text: attempt.seen, code: attempt.code } = splitAppendedError(body));
    return attempt;
  }
}
