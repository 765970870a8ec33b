import { after, replacing, takenFromDraft, takenIn, toKeep } from './asking.ts';
import { type Clock, systemClock } from './clock.ts';
import { type ConversationState, canSend } from './conversation-state.ts';
import { createConversationTurns } from './conversation-turns.ts';
import { createKeeping } from './keeping.ts';
import type { KeptWait } from './kept-wait.ts';
import { createMessageField } from './message-field.ts';
import type { Outcome } from './outcome.ts';
import { createStore } from './store.ts';
import { createForgetfulTranscript, type Transcript } from './transcript.ts';
import { freeLock, type TurnLock } from './turn-lock.ts';
import { nothingTyped } from './typed.ts';

export type ConversationOptions = {
  /** The address of a chat route, `https://chat.example.com/api/chat` say; on a page of the service its path is enough. */
  url: string;
  /** Headers to send with every turn. Outside a browser live chat needs the `Cookie` of a session. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Keeps the conversation on the device; without one it lasts as long as this object. */
  transcript?: Transcript | undefined;
  /** Keeps on the device until when the service takes no further turn; without one a reload forgets it. */
  keptWait?: KeptWait | undefined;
  /** Sends the requests, in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Times the waits, in place of the system's clock. */
  clock?: Clock | undefined;
  /** Gives each new turn its id, in place of random UUIDs. */
  createRequestId?: (() => string) | undefined;
  /** Keeps a second turn from running elsewhere at the same time: in another tab, say. */
  lock?: TurnLock | undefined;
};

/**
 * A conversation with the service, as something to watch. `send`, `regenerate` and `tryAgain` resolve when their turn has
 * ended, all its attempts and their waits included, with how it came out, or with null where nothing was sent; they never
 * reject. Nothing is sent while `canSend` says no of the state.
 */
export type Conversation = {
  /** What there is to show. A new object after every change; a part that has not changed stays the same one. */
  getState(): ConversationState;
  /** Calls `listener` after every change of the state until the returned function is called. */
  subscribe(listener: () => void): () => void;

  /**
   * Sends a question, unless it is blank; while the last question is being edited, in its place. What is typed stays
   * until it is on its way.
   */
  send(question: string): Promise<Outcome | null>;
  /** Asks the last question anew, for another reply in the place of the one it got. */
  regenerate(): Promise<Outcome | null>;
  /**
   * Asks the last question again where its turn, or the attempt to replace it, did not end well. An unfinished turn
   * keeps its request id, by which the service knows a question that it has already stored.
   */
  tryAgain(): Promise<Outcome | null>;
  /** Ends the running turn at once, whatever it is doing, and keeps what arrived: its ending is `stopped`. */
  stop(): void;

  /** Changes what is in the message field. */
  setDraft(draft: string): void;
  /** Brings the last question back into the field, to be sent in its own place. The draft is put aside. */
  edit(): void;
  /** Leaves the last question as it is; the draft is back. */
  cancelEdit(): void;

  /** Opens a new conversation. What is typed and not sent goes along. */
  startOver(): void;
  /** Leaves no trace of the conversation, here or on the device. */
  clear(): void;

  /** Keeps everything as it is: the page may be gone the next moment. */
  keep(): void;
  /**
   * Ends what is running and keeps everything for the next visit. Where there is nothing new it writes nothing: another
   * tab may have gone on with the conversation.
   */
  leave(): void;
  /** Takes in what another tab has kept of this conversation since. What is typed here stays. */
  takeIn(): void;
  /** Finds out, at once and then every second, whether a reply is still running elsewhere, for as long as the state says so. */
  settle(): Promise<void>;
};

/** A conversation with the chat route at `url`, which goes on where its transcript ends. */
export function createConversation(options: ConversationOptions): Conversation {
  const { url, headers, fetch = globalThis.fetch, clock = systemClock, lock = freeLock } = options;
  const { keptWait } = options;
  const { transcript = createForgetfulTranscript(), createRequestId = () => crypto.randomUUID() } = options;
  const { conversationId, turns, typed, isWhole } = transcript.load();
  const { getState, subscribe, update } = createStore<ConversationState>({
    ...typed,
    conversationId,
    turns,
    phase: { name: 'idle' },
    blockedUntil: null,
    isBusyElsewhere: false,
    setback: null,
    kept: isWhole,
  });
  const keep = createKeeping({
    transcript,
    clock,
    current: () => toKeep(getState(), running.asking()),
    onKept: (kept) => update({ kept }),
  });
  const running = createConversationTurns({ url, headers, fetch, clock, lock, keptWait, getState, update, keep });

  function forget(draft: string): void {
    const nothing = { ...nothingTyped, draft, conversationId: undefined, turns: [] };
    running.drop({ ...nothing, isBusyElsewhere: false, setback: null });
  }

  /** Asks a question in the place of the last one. */
  async function replace(question: string, requestId: string): Promise<Outcome | null> {
    return canSend(getState()) ? running.run(replacing(getState().turns, question, requestId)) : null;
  }

  async function send(question: string): Promise<Outcome | null> {
    const { turns, setAside } = getState();
    if (question.trim() === '' || !canSend(getState())) return null;
    const following = setAside === null ? after : replacing;
    return running.run(following(turns, question, createRequestId()), (state) => takenFromDraft(state, question));
  }

  async function regenerate(): Promise<Outcome | null> {
    const last = getState().turns.at(-1);
    return last === undefined ? null : replace(last.question, createRequestId());
  }

  running.settle();

  return {
    getState,
    subscribe,
    ...createMessageField({ getState, update, keep }),
    send,
    regenerate,

    async tryAgain() {
      const { turns, setback, setAside, draft } = getState();
      const last = turns.at(-1);
      if (last === undefined) return null;
      if (setback !== null && setAside !== null) return send(draft);
      if (last.ending?.type !== 'done') return replace(last.question, last.requestId);
      return setback === null ? null : regenerate();
    },

    stop: () => running.halt(() => ({ type: 'stopped' })),
    startOver: () => forget(getState().draft),
    clear: () => forget(''),

    takeIn() {
      if (running.asking() !== undefined) return;
      const kept = transcript.load();
      const { conversationId } = kept;
      update({ ...takenIn(getState(), kept.turns), conversationId, kept: kept.isWhole, setback: null });
      running.settle();
    },

    settle: running.settle,

    keep() {
      if (running.asking() === undefined) keep.typed();
      else keep.all();
    },

    leave() {
      running.halt((requestId) => ({ type: 'left', requestId }));
      keep.typed();
    },
  };
}
