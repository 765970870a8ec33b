import { attemptTurn } from './attempt-turn.ts';
import type { Clock } from './clock.ts';
import { type ConversationState, canSend } from './conversation-state.ts';
import { requestMessages } from './history.ts';
import type { Outcome } from './outcome.ts';
import { sendTurn } from './send-turn.ts';
import { createStore } from './store.ts';
import type { Transcript } from './transcript.ts';
import type { Ending, Turn } from './turn.ts';
import { waitUntil } from './wait.ts';

export type ConversationParts = {
  url: string;
  transcript: Transcript;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  createRequestId: () => string;
};

export type Conversation = ReturnType<typeof createConversation>;

/** A conversation with the service at `url`, as something to watch: its transcript, and the turn that is running. */
export function createConversation({ url, transcript, fetch, clock, createRequestId }: ConversationParts) {
  const loaded = transcript.load();
  let { conversationId } = loaded;
  let running: AbortController | undefined;
  let keptDraft = loaded.draft;
  const store = createStore<ConversationState>({
    turns: loaded.turns,
    phase: { name: 'idle' },
    draft: loaded.draft,
    blockedUntil: null,
    refusal: null,
    kept: true,
  });
  const { getState, subscribe, update } = store;

  function save(): void {
    const { draft, turns } = getState();
    keptDraft = draft;
    if (turns.length > 0 || draft !== '') update({ kept: transcript.save({ conversationId, draft, turns }) });
    else transcript.clear();
  }

  async function block(seconds: number): Promise<void> {
    const blockedUntil = clock.now() + seconds * 1000;
    update({ blockedUntil });
    await waitUntil(blockedUntil, clock);
    if (getState().blockedUntil === blockedUntil) update({ blockedUntil: null });
  }

  async function run(earlier: readonly Turn[], requestId: string, question: string): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const messages = requestMessages(earlier, question);
    const turn: Turn = { requestId, question, reply: '', ending: null };
    running = controller;
    update({ turns: [...earlier, turn], phase: { name: 'waiting', attempt: 1 }, refusal: null });
    save();

    const attempt = async (): Promise<Outcome> => {
      const outcome = await attemptTurn(
        { url, requestId, messages, conversationId },
        {
          fetch,
          signal,
          onConversation: (id) => {
            if (!signal.aborted) conversationId = id;
          },
          onText: (reply) => {
            if (!signal.aborted) update({ turns: [...earlier, { ...turn, reply }], phase: { name: 'streaming' } });
          },
        },
      );
      if (outcome.type === 'failed' && outcome.retryAfterSeconds !== undefined) block(outcome.retryAfterSeconds);
      return outcome;
    };
    const outcome = await sendTurn({ attempt, clock, signal, onPhase: (phase) => update({ phase }) });
    if (signal.aborted) return;
    if (isRefused(outcome)) giveBack(earlier, question, outcome.code);
    else end(outcome);
  }

  function end(ending: Ending): void {
    running = undefined;
    const { turns } = getState();
    const last = turns.at(-1);
    update({ turns: last ? turns.with(-1, { ...last, ending }) : turns, phase: { name: 'idle' } });
    save();
  }

  function giveBack(turns: readonly Turn[], question: string, refusal: Refused['code']): void {
    running = undefined;
    const draft = [question, getState().draft].filter((text) => text !== '').join('\n\n');
    update({ turns, draft, refusal, phase: { name: 'idle' } });
    save();
  }

  function stop(): void {
    if (running === undefined) return;
    running.abort();
    end({ type: 'stopped' });
  }

  function forget(draft: string): void {
    running?.abort();
    running = undefined;
    conversationId = undefined;
    update({ turns: [], phase: { name: 'idle' }, draft, refusal: null, kept: true });
    save();
  }

  return {
    getState,
    subscribe,

    setDraft(draft: string): void {
      update({ draft });
    },

    /** Sends a question, unless it is blank or `canSend` says no. Resolves when its turn has ended. */
    async send(question: string): Promise<void> {
      if (question.trim() === '' || !canSend(getState())) return;
      update({ draft: '' });
      await run(getState().turns, createRequestId(), question);
    },

    /**
     * Asks the last question again where its turn did not end well. It keeps its request id, by which the service knows
     * a question that it has already stored.
     */
    async tryAgain(): Promise<void> {
      const last = getState().turns.at(-1);
      if (last === undefined || last.ending?.type === 'done' || !canSend(getState())) return;
      await run(getState().turns.slice(0, -1), last.requestId, last.question);
    },

    /** Ends the running turn at once, whatever it is doing, and keeps what arrived. */
    stop,

    /** Opens a new conversation. What is typed and not sent goes along. */
    startOver: () => forget(getState().draft),

    /** Leaves no trace of the conversation, here or on the device. */
    clear: () => forget(''),

    /**
     * Ends what is running and keeps everything for the next visit. Where there is nothing new it writes nothing: another
     * tab may have gone on with the conversation.
     */
    leave(): void {
      stop();
      if (getState().draft !== keptDraft) save();
    },
  };
}

type Refused = Outcome & { type: 'failed'; code: NonNullable<ConversationState['refusal']> };

function isRefused(outcome: Outcome): outcome is Refused {
  if (outcome.type !== 'failed' || outcome.receivedText) return false;
  return outcome.code === 'UNAUTHENTICATED' || outcome.code === 'NOT_ONBOARDED';
}
