import type { AttemptOptions, TurnRequest } from './attempt.ts';
import type { ConversationState, PublicConversationState } from './conversation-state.ts';
import type { Cooldown } from './cooldown.ts';
import type { TurnOutcome } from './outcome.ts';
import type { AttemptReport } from './send-turn.ts';
import type { Transcript } from './transcript.ts';
import type { Turn } from './turn.ts';
import type { TurnLock } from './turn-lock.ts';

export type ConversationOptions = Pick<TurnRequest, 'url' | 'headers'> &
  Pick<AttemptOptions, 'fetch' | 'clock' | 'silenceSeconds'> & {
    /** Persists the conversation. Without it, the conversation is only in memory. */
    transcript?: Transcript | undefined;
    /** Persists the time until which the service refuses turns. Without it, this time is lost at a reload. */
    cooldown?: Cooldown | undefined;
    /** Creates the id of a new turn; random ids by default. */
    createRequestId?: (() => string) | undefined;
    /**
     * Estimates whether a reply that ended as `done` is cut, for example at its maximum length. Without it, the conversation's
     * `mayBeTruncated` is always false.
     */
    mayBeTruncated?: ((reply: string) => boolean) | undefined;
    /**
     * Called after an incomplete reply. If it returns true, the session has ended, and the turn ends as `failed` with
     * `UNAUTHENTICATED`. An error, or no answer within ten seconds, counts as false.
     */
    isSignedOut?: (() => Promise<boolean>) | undefined;
    /** Called after each attempt, for logging. Its errors are reported as uncaught and do not end the turn. */
    onAttempt?: ((report: AttemptReport) => void) | undefined;
    /** Prevents concurrent turns, for example in another tab. If it fails, the turn runs without it. */
    lock?: TurnLock | undefined;
  };

/**
 * A conversation with the service, as a store with actions. `send`, `continueReply`, `sendQueued`, `regenerate` and `tryAgain`
 * resolve when their turn has ended, including its retries, and after it the turns of the queued questions. They resolve with the
 * outcome of the last of these turns, or with null if nothing was sent. They send nothing unless `canSend(state)`. They reject only
 * with a `TypeError`, before anything changes, if `url` is a path and neither a page nor another `fetch` completes it.
 */
export interface PublicConversation {
  /** Returns a new object after every change. Unchanged parts stay the same objects. */
  getState(): PublicConversationState;
  subscribe(listener: () => void): () => void;

  /**
   * Sends the draft, or `text` in its place, unless it is blank. When the turn starts, the draft is cleared even if `text` was
   * sent; only text typed since the call stays. While a question is being edited, the text is sent as another version of that
   * question: the edit ends, and the conversation continues from the new version. While another turn holds the lock, a new question
   * is queued until that turn ends.
   */
  send(text?: string): Promise<TurnOutcome | null>;
  /** Requests the rest of the last reply with this question, as a turn with `isContinuation`. Keeps the draft and any edit. */
  continueReply(question: string): Promise<TurnOutcome | null>;
  /**
   * Sends the question of the shown turn `turnId`, by default of the last one, again for another version of its reply. For a
   * continuation, this method and `edit` use the turn that it continues.
   */
  regenerate(turnId?: string): Promise<TurnOutcome | null>;
  /**
   * Sends the last question again if its turn did not end as `done`. An unfinished reply stays as a version. The request id stays
   * the same, so the service recognizes a question that it has stored.
   */
  tryAgain(): Promise<TurnOutcome | null>;
  /** Aborts the running turn or its wait. Its text so far stays, and its ending is `stopped`. Discards a turn that is `starting`. */
  stop(): void;
  /** Sends the first queued question now, and the others after it. */
  sendQueued(): Promise<TurnOutcome | null>;

  /** Returns whether a reply that ended as `done` may lack its end. This is an estimate, so use it only to offer the rest. */
  mayBeTruncated(turn: Pick<Turn, 'reply' | 'ending'>): boolean;

  setDraft(text: string): void;
  /**
   * Copies the question of the shown turn `turnId`, by default of the last one, into the draft, to send it as another version. If the
   * last edit was of the same question and was cancelled, its text is restored. The text of the draft is set aside. Has no effect
   * while a question is being edited or a turn runs.
   */
  edit(turnId?: string): void;
  /**
   * Ends the edit and restores the text that was set aside. If the next `edit` is of the same question, it restores the cancelled
   * text.
   */
  cancelEdit(): void;
  /**
   * Queues the draft, or `text` in its place, during a turn, and clears the draft. The question is sent as a separate turn once
   * the reply before it has ended as `done` without being cut. After any other ending it waits for `sendQueued` or for such an
   * ending of a later turn, and it returns to the draft if another branch of the conversation is shown or continued. Has no effect
   * unless `canQueue(state)`.
   */
  queue(text?: string): void;
  /** Moves a queued question, the last one unless `index` names another, back into the draft. */
  unqueue(index?: number): void;
  removeQueued(index: number): void;

  /**
   * Shows the most recently shown path through the turn `turnId`; `versions` of the state has the ids. Has no effect while a
   * reply to any version is running, in any tab.
   */
  showVersion(turnId: string): void;

  /**
   * Deletes the conversation, in memory and in its transcript, and lifts the wait after a 429. A further 429 starts another wait if the
   * service still refuses turns.
   */
  clear(): void;

  /** Persists the draft and the running turn now; call it when the page is hidden. All other changes are already persisted. */
  persist(): void;
  /** Ends the running turn and persists everything. Without one, writes only the draft: another tab may have added turns. */
  leave(): void;
  /** Merges what other tabs have persisted. The draft loses only queued questions that they have sent. Has no effect during a turn. */
  loadStored(): void;
  /** Checks immediately and then every second, until no reply is running elsewhere. */
  watchOtherTabs(): Promise<void>;
}

export interface Conversation extends PublicConversation {
  getState(): ConversationState;
  /** Returns whether some answered `turns` no longer fit into the next request. */
  exceedsHistory(turns: readonly Turn[]): boolean;
  /** Call it on `beforeunload`: if the browser then cuts the connection, the turn ends as `left` instead of `interrupted`. */
  prepareToLeave(): void;
}
