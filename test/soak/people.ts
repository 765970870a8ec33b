import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent, fetch } from 'undici';
import { presentableText } from '../../client/chat/ask.ts';
import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers as names, routes } from '../../shared/interface.ts';
import { nextDelaySeconds } from '../../shared/retry.ts';
import { now, planTurn } from './provider.ts';

/** A member of an organization, or, without a cookie, the visitors of one place. `marks` name somebody in their prompt. */
export type Seat = {
  name: string;
  cookie: string | null;
  userId: string | null;
  orgId: string | null;
  marks: string[];
};

/** `asker` is whose limit the turn counts for: a member, or the address of a visitor. */
export type Turn = Omit<Seat, 'name' | 'cookie'> & { turn: number; requestId: string; asker: string; question: string };

/** One request for a turn, and what came back. `left` by the client, `cut` by the other side, null where it came to no end. */
export type Attempt = {
  turn: number;
  sentAt: number;
  endedAt: number;
  ending: 'complete' | 'cut' | 'aborted' | null;
  status: number | null;
  conversation: string | null;
  wait: string | null;
  /** the text of the reply, as far as a client shows it */
  seen: string;
  code: string | undefined;
};

export type Records = { turns: Turn[]; attempts: Attempt[] };

/** Two more than the limit, so that a visitor meets it before they go on from another address. */
const turnsFromOneAddress = 17;
const maxWaitSeconds = 5;
/** Longer than the slowest reply. */
const stuckMilliseconds = 60_000;

/** Connections are given up long before the server closes them: a request must not meet a closing one. */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

export const closeConnections = () => dispatcher.close();

/** Somebody with one tab, who takes turns and keeps to the retry table. */
export function createPerson(seat: Seat, { url, seed, turns, attempts }: Records & { url: string; seed: number }) {
  const { name, cookie, ...person } = seat;
  let taken = 0;
  let messages: { role: string; content: string }[] = [];
  let conversationId: string | undefined;

  return async function takeTurn(turn: number): Promise<void> {
    const plan = planTurn(seed, turn);
    await delay(plan.thinkMilliseconds);
    const asker = cookie === null ? `${name}.${Math.floor(taken / turnsFromOneAddress)}` : name;
    const isElsewhere = cookie === null && taken % turnsFromOneAddress === 0;
    taken += 1;
    if (plan.inNewConversation || isElsewhere) [messages, conversationId] = [[], undefined];
    const asked: Turn = { ...person, turn, requestId: ulid(), asker, question: `[question ${turn}] ${plan.words}` };
    turns.push(asked);

    const history = [...messages, { role: 'user', content: asked.question }];
    const failures: { code: string; retryAfterSeconds: number }[] = [];
    for (let cuts = 0; cuts <= plan.triesAgain; ) {
      const { ending, conversation, wait, seen, code } = await ask(asked, history);
      conversationId = conversation ?? conversationId;
      // Of a long reply its beginning: what a turn reserves of a budget grows with what is sent.
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

  async function ask({ turn, requestId, asker }: Turn, messages: unknown): Promise<Attempt> {
    const { leavesAfterMilliseconds, leavesAfterCharacters, readingMillisecondsPerChunk } = planTurn(seed, turn);
    const nothing = { ending: null, status: null, conversation: null, wait: null, code: undefined };
    const attempt: Attempt = { ...nothing, turn, sentAt: now(), endedAt: Infinity, seen: '' };
    attempts.push(attempt);
    const leaving = new AbortController();
    const stuck = AbortSignal.timeout(stuckMilliseconds);
    const timer = leavesAfterMilliseconds !== null && setTimeout(() => leaving.abort(), leavesAfterMilliseconds);
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
        signal: AbortSignal.any([leaving.signal, stuck]),
        dispatcher,
      });
      attempt.status = response.status;
      attempt.conversation = response.headers.get(names.conversationId);
      attempt.wait = response.headers.get('Retry-After');
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const chunk of response.body ?? []) {
        body += decoder.decode(chunk, { stream: true });
        if (leavesAfterCharacters !== null && body.length >= leavesAfterCharacters) leaving.abort();
        if (readingMillisecondsPerChunk !== null) await delay(readingMillisecondsPerChunk);
      }
      attempt.ending = 'complete';
    } catch {
      if (!stuck.aborted) attempt.ending = leaving.signal.aborted ? 'aborted' : 'cut';
    }
    attempt.endedAt = now();
    clearTimeout(timer || undefined);
    if (attempt.status !== 200) attempt.code = parseErrorCode(body);
    else if (attempt.ending !== 'complete') attempt.seen = presentableText(body);
    else ({ text: attempt.seen, code: attempt.code } = splitAppendedError(body));
    return attempt;
  }
}
