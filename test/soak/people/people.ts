import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { systemClock } from '../../../client/chat/clock.ts';
import { type Conversation, createConversation } from '../../../client/chat/conversation.ts';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { routes } from '../../../shared/interface.ts';
import { planTurn } from '../plan/turn-plan.ts';
import type { Asker, Attempt, Question } from '../records.ts';
import type { Gate } from './gate.ts';
import type { Member } from './population.ts';
import { createRecordingFetch } from './recording-fetch.ts';
import { takeTurn } from './take-turn.ts';
import type { TurnSource } from './turn-source.ts';

type Parts = {
  url: string;
  seed: number;
  source: TurnSource;
  gate: Gate;
  questions: Question[];
  attempts: Attempt[];
};

/** From how many devices, one after the other, a person tries who is told to wait for a day or to sign in. */
const mostDevices = 4;

/** A longer wait is not waited for. */
const longestWaitMilliseconds = 90_000;

/** Two more than the limit, so that a visitor meets it before they go on from another address. */
const turnsFromOneAddress = 17;

/** The people: the real client's core, each with a device of their own, taking turns until there are no more. */
export function createPeople(parts: Parts) {
  const { url, seed, source, questions, attempts } = parts;

  function open(asker: Asker, headers: Record<string, string>): Conversation {
    return createConversation({
      url: `${url}${asker.route === 'live' ? routes.liveChat : routes.demoChat}`,
      transcript: createTranscript(createFakeStorage(), 'soak'),
      fetch: createRecordingFetch(
        { 'X-Forwarded-Proto': 'https', ...headers },
        { ...parts, millisecondsPerChunk: (turn) => planTurn(seed, turn).reading?.millisecondsPerChunk ?? 0 },
      ),
      clock: systemClock,
      createRequestId: ulid,
    });
  }

  async function turn(number: number, conversation: Conversation, asker: Asker): Promise<void> {
    const plan = planTurn(seed, number);
    await delay(plan.thinkMilliseconds);
    if (plan.asking === 'in a new conversation') conversation.startOver();
    await untilFree(conversation);
    await takeTurn(conversation, { turn: number, asker, plan }, { questions, attempts });
  }

  return {
    /** A signed-in person with one tab. Who is refused tries from another device, and gives up in the end. */
    async member({ asker, cookie }: Member): Promise<void> {
      let conversation = open(asker, { Cookie: cookie });
      for (let devices = 1; devices <= mostDevices; ) {
        const number = await source.next();
        if (number === undefined) return;
        await turn(number, conversation, asker);
        if (!isTurnedAway(conversation)) continue;
        devices += 1;
        conversation = open(asker, { Cookie: cookie });
      }
    },

    /** Someone without an account; `place` names the addresses that all who are there come from, one after the other. */
    async visitor(place: string): Promise<void> {
      let conversation: Conversation | undefined;
      let asker: Asker = { route: 'demo', address: '' };
      let left = 0;
      let visits = 0;
      for (let number = await source.next(); number !== undefined; number = await source.next()) {
        if (conversation === undefined || left === 0 || !canSend(conversation.getState())) {
          visits += 1;
          asker = { route: 'demo', address: `${place}.${visits}` };
          conversation = open(asker, { 'X-Forwarded-For': `${asker.address}, 192.0.2.1` });
          left = turnsFromOneAddress;
        }
        left -= 1;
        await turn(number, conversation, asker);
      }
    },
  };
}

/** Whether the service will not talk to this person for long: a budget is used up, or their sessions were ended. */
function isTurnedAway({ getState }: Conversation): boolean {
  const { wasRefused, blockedUntil } = getState();
  return wasRefused || (blockedUntil ?? 0) > systemClock.now() + longestWaitMilliseconds;
}

/** Resolves when the conversation takes a question: the service may have asked to wait. */
function untilFree({ getState, subscribe }: Conversation): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = subscribe(look);
    look();
    function look() {
      if (!canSend(getState())) return;
      unsubscribe();
      resolve();
    }
  });
}
