import { createConversation } from '../../../client/chat/conversation.ts';
import type { Conversation, ConversationOptions } from '../../../client/chat/conversation-interface.ts';
import type { ConversationState } from '../../../client/chat/conversation-state.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { mayBeTruncated } from '../../../client/chat/truncation.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { until } from '../../../client-package/testing/until.ts';
import { perTest } from '../../support/per-suite.ts';

export const storageKey = 'advisory-chat:test';

/** Starts a fake backend and opens a conversation for each test. The request ids of its turns are turn-1, turn-2 … */
export function harnessPerTest() {
  const backend = perTest(() => startFakeBackend());
  const clock = perTest(() => {
    const fakeClock = createFakeClock();
    // The device's wall clock was set back, so a wait that is measured by it is an hour too long.
    return { ...fakeClock, now: () => fakeClock.now() - 3_600_000 };
  });
  const storage = perTest(() => createFakeStorage());
  const lock = perTest(() => createFakeLock());
  const count = perTest(() => ({ requests: 0 }));
  const open = (options: Partial<ConversationOptions> = {}) =>
    createConversation({
      url: backend.url,
      transcript: createTranscript(storage, storageKey),
      fetch,
      mayBeTruncated: (reply) => mayBeTruncated(reply, 100),
      clock,
      createRequestId: () => `turn-${++count.requests}`,
      lock,
      ...options,
    });
  /** Opens the conversation again on the same storage, as a reload or another tab does. */
  const reopen = () => open();
  const conversation = perTest(() => open());

  /** Sends a question, and resolves once the conversation shows `text` of the reply, which stays open. */
  async function stream(text: string, asking = conversation) {
    const responded = backend.open();
    const sent = asking.send('Where do we stand?');
    const response = await responded;
    response.write(text);
    await until(asking, shows(text));
    return { sent, response };
  }

  /** Returns the texts of the messages in the last request. */
  function sentTexts() {
    const body = backend.requests.at(-1)?.body as { messages: { content: string }[] } | undefined;
    return body?.messages.map(({ content }) => content);
  }
  return { backend, clock, storage, conversation, open, reopen, stream, sentTexts };
}

export const shows = (reply: string) => (state: Pick<ConversationState, 'turns'>) =>
  state.turns.at(-1)?.reply === reply;

export const questionsOf = ({ getState }: Pick<Conversation, 'getState'>) =>
  getState().turns.map(({ question }) => question);

export const repliesOf = ({ getState }: Pick<Conversation, 'getState'>) => getState().turns.map(({ reply }) => reply);

export function lastTurn({ getState }: Conversation): Turn {
  const last = getState().turns.at(-1);
  if (last === undefined) throw new Error('The conversation has no turn.');
  return last;
}
