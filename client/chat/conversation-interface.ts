import type { Clock } from './clock.ts';
import type { ConversationState } from './conversation-state.ts';
import type { Cooldown } from './cooldown.ts';
import type { Outcome } from './outcome.ts';
import type { Transcript } from './transcript.ts';
import type { Turn } from './turn.ts';
import type { TurnLock } from './turn-lock.ts';

export type ConversationOptions = {
  /** The address of a chat route, `https://chat.example.com/api/chat` say; on a page of the service its path is enough. */
  url: string;
  /** Headers to send with every turn. Outside a browser live chat needs the `Cookie` of a session. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Keeps the conversation on the device; without one it lasts as long as this object. */
  transcript?: Transcript | undefined;
  /** Keeps on the device until when the service takes no further turn; without one a reload forgets it. */
  cooldown?: Cooldown | undefined;
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
 * A conversation with the service, as a store with actions. `send`, `askForRest`, `sendQueued`, `regenerate` and `tryAgain` resolve
 * when their turn has ended, with all its attempts and waits, and the turns of the queued questions behind it. They resolve with the
 * outcome of the last of these turns, or with null if nothing was sent, and never reject. Nothing is sent unless `canSend(state)`.
 */
export type Conversation = {
  /** A new object after every change; a part that has not changed is the same object. */
  getState(): ConversationState;
  /** Calls `listener` after every change of the state. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;

  /**
   * Sends a question, unless it is blank. While a question is being edited, it is sent as another version of that one, and the
   * conversation continues from there. The draft is cleared when the turn starts. While a reply is running elsewhere, a new question
   * is queued until that ends.
   */
  send(question: string): Promise<Outcome | null>;
  /**
   * Asks in these words for the rest of the last reply, if `mayBeCut` says so: as a turn with `isContinuation`. The draft and an
   * edit stay.
   */
  askForRest(question: string): Promise<Outcome | null>;
  /** Sends the question of the shown turn `turnId`, or the last one, again, for another version of its reply. */
  regenerate(turnId?: string): Promise<Outcome | null>;
  /**
   * Sends the last question again if its turn did not end as `done`. The text of an unfinished reply stays as a version.
   * The request id stays the same, so the service recognizes a question that it has stored.
   */
  tryAgain(): Promise<Outcome | null>;
  /** Ends the running turn at once, whatever it is doing, and keeps the text so far: its ending is `stopped`. */
  stop(): void;
  /** Sends the first queued question now; the others follow it. */
  sendQueued(): Promise<Outcome | null>;

  /** Whether a reply that has ended may have been cut at its maximum length. It can be wrong: offer the rest, and no more. */
  mayBeCut(turn: Pick<Turn, 'reply' | 'ending'>): boolean;

  /** Changes the text of the draft. */
  setDraft(text: string): void;
  /**
   * Moves the question of the shown turn `turnId`, or the last one, into the draft, to be sent as another version. If the person has
   * reworded it before and cancelled, it is the rewording. The text of the draft is set aside. Has no effect while a question is
   * being edited or a turn runs.
   */
  edit(turnId?: string): void;
  /** Ends the edit; the text that was set aside is back. `edit` of the same question begins with what was typed. */
  cancelEdit(): void;
  /**
   * Queues a question while a reply is awaited: it is sent as a turn of its own when the reply before it has ended as `done` and was
   * not cut. Otherwise it waits for `sendQueued`. Has no effect unless `canQueue(state)`.
   */
  queue(question: string): void;
  /** Moves a queued question, the last one unless `index` names another, back into the draft. */
  takeBack(index?: number): void;

  /**
   * Shows the conversation through the turn `turnId`, and on to the latest turn below it; `versions` of the state has the ids.
   * Has no effect unless `canShowVersion(state)`.
   */
  showVersion(turnId: string): void;

  /** Deletes the conversation, in memory and in its transcript. */
  clear(): void;

  /** Persists everything now: the page may be closed the next moment. */
  persist(): void;
  /** The page may be about to be left: the browser then cuts the connection of a running turn, before or after it calls `leave`. */
  aboutToLeave(): void;
  /**
   * Ends the running turn and persists everything for the next visit. Without a running turn the turns are not written: another
   * tab may have continued the conversation.
   */
  leave(): void;
  /** Merges the turns that another tab has persisted since. The draft of this tab stays. */
  mergeStored(): void;
  /** Checks, at once and then every second, whether a reply is still running elsewhere, for as long as the state says so. */
  checkElsewhere(): Promise<void>;
};
