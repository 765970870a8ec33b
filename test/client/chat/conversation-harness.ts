import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { Conversation, ConversationOptions } from '../../../client/chat/conversation-interface.ts';
import type { ConversationState } from '../../../client/chat/conversation-state.ts';
import type { TurnOutcome } from '../../../client/chat/outcome.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { mayBeTruncated } from '../../../client/chat/truncation.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { type FakeBackend, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { until } from '../../../client-package/testing/until.ts';

export const storageKey = 'advisory-chat:test';

export type Harness = {
  backend: FakeBackend;
  clock: FakeClock;
  storage: FakeStorage;
  conversation: Conversation;
  /** Opens the conversation again on the same storage, as a reload or another tab does. */
  reopen(): Conversation;
  open(options?: Partial<ConversationOptions>): Conversation;
  /** Sends a question, and resolves once the conversation shows `text` of the reply, which stays open. */
  stream(
    text: string,
    conversation?: Conversation,
  ): Promise<{ sent: Promise<TurnOutcome | null>; response: ServerResponse }>;
};

/** Starts a conversation with a fake backend, clock and storage. The request ids of its turns are turn-1, turn-2 … */
export async function startHarness(storage = createFakeStorage()): Promise<Harness> {
  const backend = await startFakeBackend();
  const fakeClock = createFakeClock();
  // The device's wall clock was set back, so a wait that is measured by it is an hour too long.
  const clock = { ...fakeClock, now: () => fakeClock.now() - 3_600_000 };
  const lock = createFakeLock();
  let requestCount = 0;
  const open = (options: Partial<ConversationOptions> = {}) =>
    createConversation({
      url: backend.url,
      transcript: createTranscript(storage, storageKey),
      fetch,
      mayBeTruncated: (reply) => mayBeTruncated(reply, 100),
      clock,
      createRequestId: () => `turn-${++requestCount}`,
      lock,
      ...options,
    });
  const opened = open();
  async function stream(text: string, conversation = opened) {
    const responded = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await responded;
    response.write(text);
    await until(conversation, shows(text));
    return { sent, response };
  }
  return { backend, clock, storage, conversation: opened, reopen: () => open(), open, stream };
}

export function harnessPerTest(): Harness {
  const harness = {} as Harness;
  beforeEach(async () => {
    Object.assign(harness, await startHarness());
  });
  afterEach(() => harness.backend.close());
  return harness;
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
