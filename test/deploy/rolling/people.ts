import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { systemClock } from '../../../client/chat/clock.ts';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import type { ProviderRequest } from '../../../server/embedded/provider-answer.ts';
import { routes } from '../../../shared/interface.ts';
import { questionMark, replyMark, turnAsked } from '../../soak/plan.ts';
import type { Site } from './site.ts';

/** A turn that has ended, as its person sees it. */
export type Turn = { number: number; ending: string | undefined; reply: string };

const pieces = 10;
const pieceMilliseconds = 200;

/** What the model says to a question: two seconds of it. */
export const replyTo = (turn: number) =>
  replyMark(turn, 1) + Array.from({ length: pieces }, (_, piece) => ` and ${turn}.${piece}`).join('');

export function answerOf({ body }: ProviderRequest) {
  const content = body.messages.at(-1)?.content;
  const text = typeof content === 'string' ? content : (content ?? []).map((block) => block.text).join('');
  const [first = '', ...others] = replyTo(turnAsked(text)).split(/(?= and )/);
  return { steps: [{ text: first }, ...others.flatMap((text) => [{ wait: pieceMilliseconds }, { text }])] };
}

/** People with the client's own core, each with one tab, who ask one question after the other. */
export function createPeople(site: Site, cookies: readonly string[]) {
  const turns: Turn[] = [];
  let begun = 0;

  async function live(cookie: string, place: number, over: AbortSignal): Promise<void> {
    const conversation = createConversation({
      url: site.url + routes.liveChat,
      transcript: createTranscript(createFakeStorage(), 'rolling'),
      fetch: site.fetchWith({ Cookie: cookie }),
      clock: systemClock,
      createRequestId: ulid,
    });
    // Not all in the same millisecond.
    await delay(place * 20);
    while (!over.aborted) {
      begun += 1;
      const number = begun;
      await conversation.send(`${questionMark(number)} And then?`);
      const last = conversation.getState().turns.at(-1);
      turns.push({ number, ending: last?.ending?.type, reply: last?.reply ?? '' });
      await delay(2000 + ((number * 37) % 3000));
    }
  }

  return {
    turns,
    /** Resolves when `over` is aborted and every turn has ended. */
    ask: (over: AbortSignal) => Promise.all(cookies.map((cookie, place) => live(cookie, place, over))),
  };
}
