import { type Conversation, createConversation } from '../../../client/chat/conversation.ts';
import type { ConversationState } from '../../../client/chat/conversation-state.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { type FakeBackend, startFakeBackend } from './fake-backend.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFakeLock } from './fake-lock.ts';
import { createFakeStorage, type FakeStorage } from './fake-storage.ts';

export const storageKey = 'advisory-chat:test';

export type Harness = {
  backend: FakeBackend;
  clock: FakeClock;
  storage: FakeStorage;
  conversation: Conversation;
  /** The same device after a reload of the page, or in another tab. */
  reopen(): Conversation;
};

/** A conversation with a fake backend, on a fake clock and a fake device. Its turns have the request ids turn-1, turn-2 … */
export async function startHarness(storage = createFakeStorage()): Promise<Harness> {
  const backend = await startFakeBackend();
  const clock = createFakeClock();
  const lock = createFakeLock();
  let requestCount = 0;
  const open = () =>
    createConversation({
      url: backend.url,
      transcript: createTranscript(storage, storageKey),
      fetch,
      clock,
      createRequestId: () => `turn-${++requestCount}`,
      lock,
    });
  return { backend, clock, storage, conversation: open(), reopen: open };
}

/** Resolves with the first state, from now on, for which `holds` is true. */
export function until(
  { getState, subscribe }: Conversation,
  holds: (state: ConversationState) => boolean,
): Promise<ConversationState> {
  return new Promise((resolve) => {
    const unsubscribe = subscribe(look);
    look();
    function look() {
      if (!holds(getState())) return;
      unsubscribe();
      resolve(getState());
    }
  });
}

export const isIdle = ({ phase }: ConversationState) => phase.name === 'idle';
export const isRetrying = ({ phase }: ConversationState) => phase.name === 'retrying';

export const shows = (reply: string) => (state: ConversationState) => state.turns.at(-1)?.reply === reply;

export function lastTurn({ getState }: Conversation): Turn {
  const last = getState().turns.at(-1);
  if (last === undefined) throw new Error('The conversation has no turn.');
  return last;
}
