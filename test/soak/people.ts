import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { Agent, fetch } from 'undici';
import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers as names, routes } from '../../shared/interface.ts';
import { nextDelaySeconds } from '../../shared/retry.ts';
import { now } from './parts.ts';
import { planTurn, questionMark } from './plan.ts';

/** A person with an account, or a visitor at an address. `marks` name them in their prompt. */
export type Asker = { userId: string | null; orgId: string | null; address: string | null; marks: string[] };

export type Question = { turn: number; asker: Asker; text: string };

/** One request for a turn, and all that came back. `left` by the client, `cut` by the other side, null where it came to no end. */
export type Attempt = {
  turn: number;
  requestId: string;
  askedConversation: string | undefined;
  sentAt: number;
  endedAt: number | null;
  ending: 'whole' | 'cut' | 'left' | null;
  status: number | null;
  headers: { echoed?: string | null; conversation?: string | null; version?: string | null; wait?: string | null };
  body: string;
};

export type Records = { questions: Question[]; attempts: Attempt[] };

/** A member of an organization, or the visitors of one place. */
export type Seat = { cookie: string; asker: Asker } | { place: string };

/** Two more than the limit, so that a visitor meets it before they go on from another address. */
const turnsFromOneAddress = 17;
const longestWaitSeconds = 5;
/** Longer than the slowest reply. */
const stuckMilliseconds = 60_000;

/** Connections are given up long before the server closes them: a request must not meet a closing one. */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });

export const closeConnections = () => dispatcher.close();

/** Somebody with one tab, who takes turns and keeps to the retry table. */
export function createPerson(seat: Seat, { url, seed, questions, attempts }: Records & { url: string; seed: number }) {
  let turns = 0;
  let messages: { role: string; content: string }[] = [];
  let conversationId: string | undefined;

  return async function takeTurn(turn: number): Promise<void> {
    const plan = planTurn(seed, turn);
    await delay(plan.thinkMilliseconds);
    const address = 'place' in seat ? `${seat.place}.${Math.floor(turns / turnsFromOneAddress)}` : null;
    const asker = 'place' in seat ? { userId: null, orgId: null, address, marks: [] } : seat.asker;
    const isElsewhere = address !== null && turns % turnsFromOneAddress === 0;
    turns += 1;
    if (plan.inNewConversation || isElsewhere) [messages, conversationId] = [[], undefined];
    const question = { turn, asker, text: `${questionMark(turn)} ${plan.words}` };
    questions.push(question);

    const asked = [...messages, { role: 'user', content: question.text }];
    const failures: { code: string; retryAfterSeconds: number }[] = [];
    const requestId = ulid();
    for (let cuts = 0; cuts <= plan.triesAgain; ) {
      const attempt = await ask({ turn, requestId, messages: asked, address });
      conversationId = attempt.headers.conversation ?? conversationId;
      const { text, code } = splitAppendedError(attempt.status === 200 ? attempt.body : '');
      // Of a long reply its beginning: what a turn reserves of a budget grows with what is sent.
      if (text !== '') messages = [...asked, { role: 'assistant', content: text.slice(0, 1_000) }];
      if (text !== '' || attempt.ending === 'left' || attempt.ending === null) return;
      const failure = attempt.status === 200 ? code : parseErrorCode(attempt.body);
      if (attempt.ending === 'cut') cuts += 1;
      else if (failure === undefined) return;
      else failures.push({ code: failure, retryAfterSeconds: Number(attempt.headers.wait) });
      const seconds = attempt.ending === 'cut' ? 1 : nextDelaySeconds(failures);
      if (seconds === null || seconds > longestWaitSeconds) return;
      await delay(seconds * 1000);
    }
  };

  type Asking = { turn: number; requestId: string; messages: unknown; address: string | null };

  async function ask({ turn, requestId, messages, address }: Asking): Promise<Attempt> {
    const { leavesAfterMilliseconds, leavesAfterCharacters, readingMillisecondsPerChunk } = planTurn(seed, turn);
    const [endedAt, ending, status] = [null, null, null];
    const opening = { turn, requestId, askedConversation: conversationId, sentAt: now() };
    const attempt: Attempt = { ...opening, endedAt, ending, status, headers: {}, body: '' };
    attempts.push(attempt);
    const leaving = new AbortController();
    const stuck = AbortSignal.timeout(stuckMilliseconds);
    const timer = leavesAfterMilliseconds !== null && setTimeout(() => leaving.abort(), leavesAfterMilliseconds);
    try {
      const response = await fetch(url + ('place' in seat ? routes.demoChat : routes.liveChat), {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-Proto': 'https',
          [names.requestId]: requestId,
          ...('place' in seat ? { 'X-Forwarded-For': `${address}, 192.0.2.1` } : { Cookie: seat.cookie }),
        },
        body: JSON.stringify({ messages, conversationId }),
        signal: AbortSignal.any([leaving.signal, stuck]),
        dispatcher,
      });
      attempt.status = response.status;
      attempt.headers = {
        echoed: response.headers.get(names.requestId),
        conversation: response.headers.get(names.conversationId),
        version: response.headers.get(names.promptVersion),
        wait: response.headers.get('Retry-After'),
      };
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const chunk of response.body ?? []) {
        attempt.body += decoder.decode(chunk, { stream: true });
        if (leavesAfterCharacters !== null && attempt.body.length >= leavesAfterCharacters) leaving.abort();
        if (readingMillisecondsPerChunk !== null) await delay(readingMillisecondsPerChunk);
      }
      attempt.ending = 'whole';
    } catch {
      if (!stuck.aborted) attempt.ending = leaving.signal.aborted ? 'left' : 'cut';
    }
    attempt.endedAt = now();
    clearTimeout(timer || undefined);
    return attempt;
  }
}
