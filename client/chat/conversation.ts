import { isBlank } from '../../shared/messages.ts';
import { type Asking, after, draftTakenIn, type Question, shown, takenIn, versionOf } from './asking.ts';
import { type Clock, createPaced, systemClock } from './clock.ts';
import { type Composer, createComposer, draftBeside, emptyDraft } from './composer.ts';
import { type ConversationState, canSend, canShowVersion } from './conversation-state.ts';
import { emptyTree, showing, treeOf, turnOf } from './conversation-tree.ts';
import { createConversationTurns } from './conversation-turns.ts';
import type { KeptWait } from './kept-wait.ts';
import type { Outcome } from './outcome.ts';
import { createStore } from './store.ts';
import { createForgetfulTranscript, type Transcript } from './transcript.ts';
import { mayBeCut, type Turn } from './turn.ts';
import { freeLock, type TurnLock } from './turn-lock.ts';

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
  /** After this many seconds without a byte an attempt ends as `interrupted`; 120 by default. */
  silenceSeconds?: number | undefined;
  /** Gives each new turn its id, in place of random UUIDs. */
  createRequestId?: (() => string) | undefined;
  /** The most tokens that the route gives a reply; without it no reply is taken for cut there. */
  maxTokens?: number | undefined;
  /** Says after a reply that broke off whether the session has ended; without it that is not looked for. */
  isSignedOut?: (() => Promise<boolean>) | undefined;
  /** Keeps a second turn from running elsewhere at the same time: in another tab, say. */
  lock?: TurnLock | undefined;
};

/**
 * A conversation with the service, as something to watch. `send`, `askForRest`, `sendQueued`, `regenerate` and `tryAgain` resolve when
 * their turn has ended, all its attempts and their waits included, and the turn of the question in line behind it, with how the last of
 * them came out, or with null where nothing was sent; they never reject. Nothing is sent while `canSend` says no of the state.
 */
export type Conversation = {
  /** What there is to show. A new object after every change; a part that has not changed stays the same one. */
  getState(): ConversationState;
  /** Calls `listener` after every change of the state until the returned function is called. */
  subscribe(listener: () => void): () => void;

  /**
   * Sends a question, unless it is blank; while one is being edited, as another version of it, from which the conversation goes
   * on. What is typed stays until it is on its way. While a reply is running elsewhere, a new question waits in line for its end.
   */
  send(question: string): Promise<Outcome | null>;
  /**
   * Asks in these words for the rest of the last reply, where `mayBeCut` says yes of it: as a turn with `isContinuation`. What is
   * typed or edited stays.
   */
  askForRest(question: string): Promise<Outcome | null>;
  /** Sends the last question again, for another version of its reply. */
  regenerate(): Promise<Outcome | null>;
  /**
   * Sends the last question again if its turn did not end as `done`. What has arrived of an unfinished reply stays as a version.
   * The request id stays the same, so the service recognizes a question that it has stored.
   */
  tryAgain(): Promise<Outcome | null>;
  /** Ends the running turn at once, whatever it is doing, and keeps what arrived: its ending is `stopped`. */
  stop(): void;

  /** Sends the first question in line now; the others follow it. */
  sendQueued(): Promise<Outcome | null>;

  /** Whether a reply that has ended may have been cut at its maximum length. It can be wrong: offer the rest, and no more. */
  mayBeCut(turn: Pick<Turn, 'reply' | 'ending'>): boolean;

  /** The message field, with what is typed and not sent. */
  composer: Composer;

  /**
   * Shows the conversation through the turn `turnId`, and on to the latest turn below it; `versions` of the state has the ids.
   * Does nothing unless `canShowVersion` says yes of the state.
   */
  showVersion(turnId: string): void;

  /** Leaves no trace of the conversation, here or on the device. */
  clear(): void;

  /** Keeps everything as it is: the page may be gone the next moment. */
  keep(): void;
  /** The page may be about to be left: the browser cuts the connection of a running turn then, before or after it calls `leave`. */
  aboutToLeave(): void;
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
  const { maxTokens = Number.POSITIVE_INFINITY, silenceSeconds } = options;
  const { keptWait, transcript = createForgetfulTranscript(), createRequestId = () => crypto.randomUUID() } = options;
  const loaded = transcript.load();
  const tree = treeOf(loaded.turns, loaded.shownId);
  const { getState, subscribe, update } = createStore<ConversationState>({
    ...shown(tree),
    conversationId: loaded.conversationId,
    phase: { name: 'idle' },
    waiting: null,
    blockedUntil: null,
    isBusyElsewhere: false,
    wasInLine: false,
  });
  const composer = createComposer({
    kept: draftBeside(tree, loaded.draft),
    clock,
    getConversation: getState,
    updateConversation: update,
    save: (draft) => transcript.saveDraft(draft),
  });
  const keepTurnsSoon = createPaced(clock, 1000, keepTurns);
  const running = createConversationTurns({
    url,
    headers,
    fetch,
    clock,
    silenceSeconds,
    lock,
    isSignedOut: options.isSignedOut,
    keptWait,
    transcript,
    getState,
    update,
    composer,
    keep: { all: keepAll, turnsSoon: keepTurnsSoon.ask },
  });

  function keepTurns(): void {
    keepTurnsSoon.callOff();
    const { conversationId, tree } = getState();
    transcript.saveTurns({ conversationId, ...tree });
  }

  function keepAll(): void {
    keepTurns();
    composer.keep();
  }

  function mayBeCutTurn({ reply, ending }: Pick<Turn, 'reply' | 'ending'>): boolean {
    return ending?.type === 'done' && mayBeCut(reply, maxTokens);
  }

  function asNew(question: string): Question {
    const id = createRequestId();
    return { id, requestId: id, question, askedAt: clock.now() };
  }

  /** Asks a question, and then the one in line, where the reply has ended whole. */
  async function run(asking: Asking, onAsked?: () => void, wasInLine = false): Promise<Outcome | null> {
    const outcome = await running.run(asking, onAsked, wasInLine);
    const last = getState().turns.at(-1);
    if (outcome?.type !== 'done' || (last && mayBeCutTurn(last))) return outcome;
    return (await askQueued(true)) ?? outcome;
  }

  async function askQueued(wasInLine: boolean): Promise<Outcome | null> {
    const [next] = composer.getState().queued;
    if (next === undefined || !canSend(getState())) return null;
    const outcome = await run(after(getState().tree, asNew(next)), () => composer.sent(next, 'line'), wasInLine);
    return outcome ?? askQueuedWhenFree();
  }

  /** Asks the question in line as soon as no reply is running elsewhere, if it is still there then. */
  async function askQueuedWhenFree(): Promise<Outcome | null> {
    if (!(await running.whenFree())) return null;
    takeInKept();
    return askQueued(true);
  }

  async function send(question: string): Promise<Outcome | null> {
    const { tree } = getState();
    if (isBlank(question) || !canSend(getState())) return null;
    const edited = turnOf(tree, composer.getState().editedId);
    if (edited) return run(versionOf(tree, edited, asNew(question)), () => composer.sent(question, 'field'));
    // A question that waits already goes first.
    const waits = getState().isBusyElsewhere && composer.getState().queued.length > 0;
    if (!waits) {
      const outcome = await run(after(tree, asNew(question)), () => composer.sent(question, 'field'));
      if (outcome !== null) return outcome;
    }
    composer.putInLine(question);
    return askQueuedWhenFree();
  }

  async function askForRest(question: string): Promise<Outcome | null> {
    if (isBlank(question) || !canSend(getState())) return null;
    return run(after(getState().tree, { ...asNew(question), isContinuation: true }));
  }

  async function regenerate(): Promise<Outcome | null> {
    const { tree, turns } = getState();
    const last = turns.at(-1);
    if (last === undefined || !canSend(getState())) return null;
    return run(versionOf(tree, last, asNew(last.question)));
  }

  async function tryAgain(): Promise<Outcome | null> {
    const { tree, turns } = getState();
    const last = turns.at(-1);
    if (last === undefined || last.ending?.type === 'done' || !canSend(getState())) return null;
    const { question, requestId } = last;
    return run(versionOf(tree, last, { ...asNew(question), requestId }));
  }

  function takeInKept(): void {
    if (running.asking() !== undefined) return;
    const { conversationId, turns, shownId } = transcript.load();
    const kept = treeOf(turns, shownId);
    composer.update(draftTakenIn(composer.getState(), getState(), kept));
    update({ ...takenIn(getState(), kept), conversationId });
    running.settle();
  }

  running.settle();

  return {
    getState,
    subscribe,
    composer,
    send,
    askForRest,
    regenerate,
    tryAgain,
    sendQueued: () => askQueued(false),
    mayBeCut: mayBeCutTurn,
    stop: () => running.halt(() => ({ type: 'stopped' })),

    showVersion(turnId) {
      const { tree } = getState();
      if (!canShowVersion(getState()) || turnOf(tree, turnId) === undefined) return;
      update(shown(showing(tree, turnId)));
      keepTurns();
    },

    takeIn: takeInKept,

    clear() {
      composer.update(emptyDraft);
      running.drop({ ...shown(emptyTree), conversationId: undefined, isBusyElsewhere: false });
    },

    settle: running.settle,
    aboutToLeave: running.aboutToLeave,

    keep() {
      if (running.asking() === undefined) composer.keep();
      else keepAll();
    },

    leave() {
      running.halt((requestId) => ({ type: 'left', requestId }));
      composer.keep();
    },
  };
}
