import {
  type Asking,
  after,
  asked,
  cutOff,
  ended,
  refused,
  replacing,
  takenFromDraft,
  takenIn,
  toKeep,
} from './asking.ts';
import { attemptTurn } from './attempt-turn.ts';
import type { Clock } from './clock.ts';
import { type ConversationState, canSend, isWrittenElsewhere } from './conversation-state.ts';
import { requestMessages } from './history.ts';
import { createKeeping } from './keeping.ts';
import { isRefusal, type Outcome } from './outcome.ts';
import { sendTurn } from './send-turn.ts';
import { createStore } from './store.ts';
import type { Transcript } from './transcript.ts';
import type { Ending } from './turn.ts';
import { freeLock, type TurnLock } from './turn-lock.ts';
import { nothingTyped } from './typed.ts';
import { waitUntil } from './wait.ts';

export type ConversationParts = {
  url: string;
  transcript: Transcript;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  createRequestId: () => string;
  /** Keeps a second turn from running elsewhere at the same time. */
  lock?: TurnLock;
};

export type Conversation = ReturnType<typeof createConversation>;

const idle = { name: 'idle' } as const;

/** A conversation with the service at `url`, as something to watch: its transcript, and the turn that is running. */
export function createConversation(parts: ConversationParts) {
  const { url, transcript, fetch, clock, createRequestId, lock = freeLock } = parts;
  const loaded = transcript.load();
  let { conversationId } = loaded;
  let running: { asking: Asking; controller: AbortController } | undefined;
  const { getState, subscribe, update } = createStore<ConversationState>({
    ...loaded.typed,
    turns: loaded.turns,
    phase: idle,
    blockedUntil: null,
    refusal: null,
    isBusyElsewhere: false,
    setback: null,
    kept: loaded.isWhole,
  });
  const keep = createKeeping({
    transcript,
    clock,
    current: () => ({ conversationId, ...toKeep(getState(), running?.asking) }),
    onKept: (kept) => update({ kept }),
  });

  async function block(seconds: number): Promise<void> {
    const blockedUntil = clock.now() + seconds * 1000;
    update({ blockedUntil });
    await waitUntil(blockedUntil, clock);
    if (getState().blockedUntil === blockedUntil) update({ blockedUntil: null });
  }

  async function run(
    asking: Asking,
    onAsked?: (state: ConversationState) => Partial<ConversationState>,
  ): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    running = { asking, controller };
    update({ phase: { name: 'sending' }, refusal: null, isBusyElsewhere: false, setback: null });
    const release = await lock.take();
    if (signal.aborted) return release?.();
    if (release === null) return notSent({ isBusyElsewhere: true });
    // Not only in the end: who stops a turn may ask the next question at once.
    signal.addEventListener('abort', release);

    update({ ...asked(asking), ...onAsked?.(getState()) });
    keep.all();
    const outcome = await sendTurn({
      attempt: () => attempt(asking, signal),
      clock,
      signal,
      onPhase: (phase) => update({ phase }),
    });
    if (signal.aborted) return;
    rest(isRefusal(outcome) ? refused(getState(), asking, outcome.code) : ended(getState(), asking, outcome));
    release();
  }

  async function attempt(asking: Asking, signal: AbortSignal): Promise<Outcome> {
    const { requestId, question, earlier } = asking;
    const outcome = await attemptTurn(
      { url, requestId, messages: requestMessages(earlier, question), conversationId },
      {
        fetch,
        signal,
        onConversation: (id) => {
          if (!signal.aborted) conversationId = id;
        },
        onText: (reply) => {
          if (signal.aborted) return;
          update({ turns: [...earlier, { requestId, question, reply, ending: null }], phase: { name: 'streaming' } });
          keep.turnsSoon();
          if (asking.replaced) keep.typedSoon();
        },
      },
    );
    if (outcome.type === 'failed' && outcome.retryAfterSeconds !== undefined) block(outcome.retryAfterSeconds);
    return outcome;
  }

  /** Ends what had not begun. Another tab may be at this conversation: nothing of it is written here. */
  function notSent(changes: Partial<ConversationState>): void {
    running = undefined;
    update({ ...changes, phase: idle });
  }

  /** Ends what is running with these changes, and keeps what there is. */
  function rest(changes: Partial<ConversationState>): void {
    running = undefined;
    update({ ...changes, phase: idle });
    keep.all();
  }

  /** Ends the running turn at once, whatever it is doing, and keeps what arrived. */
  function halt(endingOf: (requestId: string) => Ending): void {
    if (running === undefined) return;
    const { asking, controller } = running;
    const state = getState();
    controller.abort();
    if (state.phase.name === 'sending') notSent({});
    else rest(ended(state, asking, endingOf(asking.requestId)));
  }

  function forget(draft: string): void {
    running?.controller.abort();
    running = undefined;
    conversationId = undefined;
    update({ ...nothingTyped, draft, turns: [], phase: idle, refusal: null, isBusyElsewhere: false, setback: null });
    keep.all();
  }

  /** A turn without an ending that runs nowhere was cut off with the page that had asked. */
  async function settle(): Promise<void> {
    if (!isWrittenElsewhere(getState()) || (await lock.isHeld()) || !isWrittenElsewhere(getState())) return;
    update(cutOff(getState()));
  }

  /** Asks a question in the place of the last one. */
  async function replace(question: string, requestId: string): Promise<void> {
    if (canSend(getState())) await run(replacing(getState().turns, question, requestId));
  }

  async function send(question: string): Promise<void> {
    const { turns, setAside } = getState();
    if (question.trim() === '' || !canSend(getState())) return;
    const following = setAside === null ? after : replacing;
    await run(following(turns, question, createRequestId()), (state) => takenFromDraft(state, question));
  }

  async function regenerate(): Promise<void> {
    const last = getState().turns.at(-1);
    if (last !== undefined) await replace(last.question, createRequestId());
  }

  settle();

  return {
    getState,
    subscribe,

    setDraft(draft: string): void {
      update({ draft, isBusyElsewhere: false, wasRefused: getState().wasRefused && draft !== '' });
      keep.typedSoon();
    },

    /**
     * Sends a question, unless it is blank or `canSend` says no; while the last question is being edited, in its place.
     * What is typed stays until it is on its way. Resolves when its turn has ended.
     */
    send,

    /** Asks the last question anew, for another reply in the place of the one it got. */
    regenerate,

    /**
     * Asks the last question again where its turn, or the attempt to replace it, did not end well. An unfinished turn
     * keeps its request id, by which the service knows a question that it has already stored.
     */
    async tryAgain(): Promise<void> {
      const { turns, setback, setAside, draft } = getState();
      const last = turns.at(-1);
      if (last === undefined) return;
      if (setback !== null && setAside !== null) await send(draft);
      else if (last.ending?.type !== 'done') await replace(last.question, last.requestId);
      else if (setback !== null) await regenerate();
    },

    /** Brings the last question back into the message field, to be sent in its own place. The draft is put aside. */
    edit(): void {
      const { turns, draft, setAside, phase } = getState();
      const last = turns.at(-1);
      if (last === undefined || setAside !== null || phase.name !== 'idle') return;
      update({ draft: last.question, setAside: draft, wasRefused: false });
      keep.typed();
    },

    /** Leaves the last question as it is; the draft is back. */
    cancelEdit(): void {
      const { setAside } = getState();
      if (setAside === null) return;
      update({ draft: setAside, setAside: null, wasRefused: false, setback: null });
      keep.typed();
    },

    /** Ends the running turn at once, whatever it is doing, and keeps what arrived. */
    stop: () => halt(() => ({ type: 'stopped' })),

    /** Opens a new conversation. What is typed and not sent goes along. */
    startOver: () => forget(getState().draft),

    /** Leaves no trace of the conversation, here or on the device. */
    clear: () => forget(''),

    /** Takes in what another tab has kept of this conversation since. What is typed here stays. */
    takeIn(): void {
      if (running !== undefined) return;
      const kept = transcript.load();
      conversationId = kept.conversationId;
      update({ ...takenIn(getState(), kept.turns), kept: kept.isWhole, setback: null });
      settle();
    },

    settle,

    /** Keeps everything as it is: the page may be gone the next moment. */
    keep(): void {
      if (running === undefined) keep.typed();
      else keep.all();
    },

    /**
     * Ends what is running and keeps everything for the next visit. Where there is nothing new it writes nothing: another
     * tab may have gone on with the conversation.
     */
    leave(): void {
      halt((requestId) => ({ type: 'left', requestId }));
      keep.typed();
    },
  };
}
