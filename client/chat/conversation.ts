import { shown, takenIn, toKeep } from './asking.ts';
import { type Clock, systemClock } from './clock.ts';
import { createConversationQuestions } from './conversation-questions.ts';
import { type ConversationState, canShowVersion } from './conversation-state.ts';
import { showing, treeOf, turnOf } from './conversation-tree.ts';
import { createConversationTurns } from './conversation-turns.ts';
import { createKeeping } from './keeping.ts';
import { createForgetfulPutAway, type KeptPutAway } from './kept-put-away.ts';
import type { KeptWait } from './kept-wait.ts';
import { createMessageField } from './message-field.ts';
import type { Outcome } from './outcome.ts';
import { createStartingOver } from './starting-over.ts';
import { createStore } from './store.ts';
import { createForgetfulTranscript, type Transcript } from './transcript.ts';
import type { Turn } from './turn.ts';
import { freeLock, type TurnLock } from './turn-lock.ts';
import { typedBeside } from './typed.ts';

export type ConversationOptions = {
  /** The address of a chat route, `https://chat.example.com/api/chat` say; on a page of the service its path is enough. */
  url: string;
  /** Headers to send with every turn. Outside a browser live chat needs the `Cookie` of a session. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Keeps the conversation on the device; without one it lasts as long as this object. */
  transcript?: Transcript | undefined;
  /** Keeps on the device until when the service takes no further turn; without one a reload forgets it. */
  keptWait?: KeptWait | undefined;
  /** Keeps on the device what `startOver` puts away; without one a reload forgets it. */
  putAway?: KeptPutAway | undefined;
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
   * Sends a question, unless it is blank; while one is being edited, as another version of it, from which the conversation goes
   * on. What is typed stays until it is on its way.
   */
  send(question: string): Promise<Outcome | null>;
  /** Asks the last question anew, for another version of its reply. Where nothing comes of it the one before is shown again. */
  regenerate(): Promise<Outcome | null>;
  /**
   * Asks the last question again where its turn, or the attempt at another version, did not end well. What has arrived of an
   * unfinished reply stays as a version; the request id stays too: by it the service knows a question that it has stored.
   */
  tryAgain(): Promise<Outcome | null>;
  /** Ends the running turn at once, whatever it is doing, and keeps what arrived: its ending is `stopped`. */
  stop(): void;

  /** Changes what is in the message field. */
  setDraft(draft: string): void;
  /**
   * Brings the question of the shown turn `turnId`, or the last one, back into the field, to be sent as another version. The
   * draft is put aside. While one is being edited already, or a turn runs, nothing happens.
   */
  edit(turnId?: string): void;
  /** Leaves the question as it is; the draft is back. Another edit of the question begins with what was typed. */
  cancelEdit(): void;

  /**
   * Shows the conversation through the turn `turnId`, and on to the latest turn below it; `versions` of the state has the ids.
   * Does nothing unless `canShowVersion` says yes of the state.
   */
  showVersion(turnId: string): void;

  /** Opens a new conversation, after what is running has been stopped. What is typed and not sent goes along. */
  startOver(): void;
  /** Brings the conversation before the new one back, while nothing was asked in that: `canUndoStartOver` of the state says so. */
  undoStartOver(): void;
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
  const { keptWait, putAway = createForgetfulPutAway() } = options;
  const { transcript = createForgetfulTranscript(), createRequestId = () => crypto.randomUUID() } = options;
  const loaded = transcript.load();
  const tree = treeOf(loaded.turns, loaded.shownId);
  const isPutAwayBeside = (turns: readonly Turn[]) => turns.length === 0 && putAway.load() !== undefined;
  const { getState, subscribe, update } = createStore<ConversationState>({
    ...typedBeside(tree, loaded.typed),
    ...shown(tree),
    conversationId: loaded.conversationId,
    phase: { name: 'idle' },
    blockedUntil: null,
    isBusyElsewhere: false,
    setback: null,
    canUndoStartOver: isPutAwayBeside(loaded.turns),
  });
  const keep = createKeeping({
    transcript,
    clock,
    current() {
      const { tree, ...state } = toKeep(getState(), running.asking());
      return { ...state, ...tree };
    },
  });
  const onAsked = putAway.forget;
  const running = createConversationTurns({
    url,
    headers,
    fetch,
    clock,
    lock,
    keptWait,
    getState,
    update,
    keep,
    onAsked,
  });

  running.settle();

  return {
    getState,
    subscribe,
    ...createMessageField({ getState, update, keep }),
    ...createConversationQuestions({ getState, clock, createRequestId, run: running.run }),
    ...createStartingOver({ getState, update, keep, putAway, running }),
    stop: () => running.halt(() => ({ type: 'stopped' })),

    showVersion(turnId) {
      const { tree } = getState();
      if (!canShowVersion(getState()) || turnOf(tree, turnId) === undefined) return;
      update({ ...shown(showing(tree, turnId)), setback: null });
      keep.turns();
    },

    takeIn() {
      if (running.asking() !== undefined) return;
      const { conversationId, turns, shownId } = transcript.load();
      const changes = takenIn(getState(), treeOf(turns, shownId));
      update({ ...changes, conversationId, setback: null, canUndoStartOver: isPutAwayBeside(turns) });
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
