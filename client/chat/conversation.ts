import { errors } from '../../shared/errors.ts';
import { isBlank } from '../../shared/messages.ts';
import { createListeners, createStore } from '../store.ts';
import { checkUrl, createRandomId } from './attempt.ts';
import { createThrottle, systemClock, waitUntil, withUnrefTimers } from './clock.ts';
import type { Conversation, ConversationOptions } from './conversation-interface.ts';
import {
  type ConversationState,
  canQueue,
  canSend,
  createPendingTurn,
  createPendingVersion,
  isAnyTurnRunningElsewhere,
  isQueueFull,
  type PendingTurn,
  type Question,
  shownTurn,
  stateOf,
} from './conversation-state.ts';
import { findTurn, pathTo, treeOf } from './conversation-tree.ts';
import { exceedsHistory, maxRequestBytes, requestMessages } from './history.ts';
import { endingOf, failureMidway, isRefusal, type Outcome, type TurnOutcome } from './outcome.ts';
import { type AttemptReport, sendTurn } from './send-turn.ts';
import { createMemoryTranscript } from './transcript.ts';
import { type ConversationEvent, transition } from './transition.ts';
import { hasReply, type Turn } from './turn.ts';
import { noLock } from './turn-lock.ts';

/** The session counts as active if `isSignedOut` does not answer in this time. */
const maxSignedOutCheckMilliseconds = 10_000;

/** A connection lost within this time after `prepareToLeave` counts as cut by the navigation, which the user can still cancel. */
const navigationMilliseconds = 10_000;

/**
 * The time at which each change is persisted; immediately by default. `soon` throttles turns to once a second and the draft to
 * twice a second. `never` is for events caused by other tabs, which may be writing.
 */
const persistence: Partial<Record<ConversationEvent['type'], 'soon' | 'never'>> = {
  draftChanged: 'soon',
  replyReceived: 'soon',
  conversationNamed: 'soon',
  merged: 'never',
  replyElsewhereEnded: 'never',
};

/** Throws a `TypeError` if `url` is invalid. */
export function createConversation(options: ConversationOptions): Conversation {
  const { url, headers, fetch = globalThis.fetch, clock = systemClock, silenceSeconds, lock = noLock } = options;
  const { mayBeTruncated, isSignedOut, cooldown, onAttempt } = options;
  const { transcript = createMemoryTranscript(), createRequestId = createRandomId } = options;
  // Without `fetch`, a path is valid: server-side rendering creates a conversation with a path and sends nothing.
  checkUrl(url);
  const { getState, subscribe, update } = createStore<ConversationState>(stateOf(transcript.load()));
  // Pending checks must not keep a Node process running.
  const background = withUnrefTimers(clock);
  const persistTurnsSoon = createThrottle(clock, 1000, persistTurns);
  const persistDraftSoon = createThrottle(clock, 500, persistDraft);
  const watchOtherTabsSoon = createThrottle(background, 1000, watchOtherTabs);
  const attemptListeners = createListeners<[AttemptReport]>();
  if (onAttempt) attemptListeners.add(onAttempt);
  const budgetBytes = maxRequestBytes(url);
  let turnController: AbortController | undefined;
  /** The draft as this tab last loaded or stored it. Another tab may have stored a later one. */
  let storedDraft = getState().draft;
  let leavingAt = Number.NEGATIVE_INFINITY;
  /** Resolvers of questions that wait for the end of a reply elsewhere: true once it has ended, false if the wait is cancelled. */
  let waiters: ((isFree: boolean) => void)[] = [];

  function dispatch(event: ConversationEvent): void {
    const previous = getState();
    const next = transition(previous, event);
    if (next === previous) return;
    update(next);
    const timing = persistence[event.type];
    if (timing === 'never') {
      if (previous.draft === storedDraft) storedDraft = next.draft;
      return;
    }
    if (next.tree !== previous.tree || next.conversationId !== previous.conversationId) {
      if (timing === 'soon') persistTurnsSoon.schedule();
      else persistAll();
    } else if (next.draft !== previous.draft) {
      if (timing === 'soon') persistDraftSoon.schedule();
      else persistDraft();
    }
  }

  function persistTurns(): void {
    persistTurnsSoon.cancel();
    const { conversationId, tree } = getState();
    transcript.saveTurns({ conversationId, ...tree });
  }

  function persistDraft(): void {
    persistDraftSoon.cancel();
    const { draft } = getState();
    if (draft === storedDraft) return;
    storedDraft = draft;
    transcript.saveDraft(draft);
  }

  function persistAll(): void {
    persistTurns();
    persistDraft();
  }

  /**
   * Runs one turn. Resolves with its outcome, or with null if another turn is running elsewhere. The lock is
   * released once `transcript` has received the end of the turn, or as soon as the turn is aborted.
   */
  async function runTurn(pending: PendingTurn): Promise<TurnOutcome | null> {
    checkUrl(url, fetch);
    const controller = new AbortController();
    const { signal } = controller;
    turnController = controller;
    dispatch({ type: 'turnRequested', pending, at: clock.steadyNow() });

    const release = await takeLock();
    if (signal.aborted) {
      release?.();
      return abortedOutcome(pending, signal);
    }
    if (release === null) {
      dispatch({ type: 'lockUnavailable' });
      void watchOtherTabs();
      return null;
    }
    // The lock is released on abort, because the next question can be sent as soon as this turn is stopped.
    signal.addEventListener('abort', release);
    const outcome = await sendPending(pending, signal);
    if (signal.aborted) return abortedOutcome(pending, signal);
    // A later `stop` must not release the lock again, because another tab may hold it by then.
    turnController = undefined;
    if (isRefusal(outcome) && !hasReply(getState().turns.at(-1))) dispatch({ type: 'turnRefused' });
    else dispatch({ type: 'turnEnded', ending: endingOf(outcome) });
    release();
    return outcome;
  }

  async function sendPending(pending: PendingTurn, signal: AbortSignal): Promise<TurnOutcome> {
    const { requestId, question, parentId } = pending.turn;
    const { conversationId, tree } = getState();
    const messages = requestMessages(pathTo(tree, parentId), question, budgetBytes);
    dispatch({ type: 'turnStarted' });

    const report = (event: ConversationEvent) => {
      if (!signal.aborted) dispatch(event);
    };
    const outcome = await sendTurn(
      { url, headers, requestId, messages, conversationId },
      {
        fetch,
        clock,
        silenceSeconds,
        signal,
        onPhase: (phase) => report({ type: 'phaseChanged', phase, at: clock.steadyNow() }),
        onConversation: (id) => report({ type: 'conversationNamed', conversationId: id }),
        onText: (reply) => report({ type: 'replyReceived', reply, at: clock.steadyNow() }),
        onAttempt: (ended) => {
          startCooldown(ended.outcome);
          attemptListeners.notify(ended);
        },
      },
    );
    if (isIncomplete(outcome) && (await isSessionOver(signal))) return failureMidway('UNAUTHENTICATED', requestId);
    return isLeaving(outcome) ? { type: 'left', requestId } : outcome;
  }

  function abortedOutcome({ turn: { requestId } }: PendingTurn, { reason }: AbortSignal): TurnOutcome {
    return reason === 'pageLeft' ? { type: 'left', requestId } : { type: 'stopped' };
  }

  /** Chat still works with a lock that fails. */
  async function takeLock(): Promise<(() => void) | null> {
    try {
      return await lock.take();
    } catch {
      return noLock.take();
    }
  }

  async function isLockHeld(): Promise<boolean> {
    try {
      return await lock.isHeld();
    } catch {
      return false;
    }
  }

  /** Resolves with false if `isSignedOut` fails or does not answer in time, or as soon as the turn is aborted. */
  function isSessionOver(signal: AbortSignal): Promise<boolean> {
    const ask = async () => isSignedOut?.() ?? false;
    return new Promise((resolve) => {
      const cancelTimer = background.after(maxSignedOutCheckMilliseconds, () => resolve(false));
      signal.addEventListener('abort', () => resolve(false));
      void ask()
        .then(resolve, () => resolve(false))
        .finally(cancelTimer);
    });
  }

  function isIncomplete({ type }: Outcome): boolean {
    return (type === 'failed' || type === 'interrupted') && hasReply(getState().turns.at(-1));
  }

  function isLeaving({ type }: Outcome): boolean {
    return type === 'interrupted' && clock.steadyNow() - leavingAt < navigationMilliseconds;
  }

  /** After an error with `startsCooldown`, the service refuses all turns until `Retry-After` has passed. */
  function startCooldown(outcome: Outcome): void {
    if (outcome.type !== 'failed' || outcome.code === undefined || outcome.retryAfterSeconds === undefined) return;
    if (!errors[outcome.code].retry.startsCooldown) return;
    cooldown?.save(outcome.retryAfterSeconds);
    void runCooldown(outcome.retryAfterSeconds);
  }

  async function runCooldown(seconds: number): Promise<void> {
    const until = clock.steadyNow() + seconds * 1000;
    dispatch({ type: 'cooldownStarted', until });
    await waitUntil(until, background);
    dispatch({ type: 'cooldownEnded', until });
  }

  /** Runs a turn and then the queued questions, as long as each reply ends as `done` without being cut. */
  async function runTurns(pending: PendingTurn): Promise<TurnOutcome | null> {
    const outcome = await runTurn(pending);
    const last = getState().turns.at(-1);
    if (outcome?.type !== 'done' || (last && mayBeTruncatedTurn(last))) return outcome;
    return (await sendNext(true)) ?? outcome;
  }

  async function sendNext(isAutomatic: boolean): Promise<TurnOutcome | null> {
    const state = getState();
    const [question] = state.draft.queued;
    if (question === undefined || !canSend(state)) return null;
    const outcome = await runTurns(createPendingTurn(state, newQuestion(question), 'queue', isAutomatic));
    return outcome ?? sendNextOnceFree();
  }

  /** Sends the first queued question once no reply is running elsewhere, if it is still queued then. */
  async function sendNextOnceFree(): Promise<TurnOutcome | null> {
    const isWaiting = getState().waitsForOtherTab;
    if (isWaiting && !(await new Promise<boolean>((resolve) => waiters.push(resolve)))) return null;
    merge();
    return sendNext(true);
  }

  function endWait(isFree: boolean): void {
    const resolvers = waiters;
    waiters = [];
    for (const resolve of resolvers) resolve(isFree);
  }

  async function watchOtherTabs(): Promise<void> {
    if (!getState().waitsForOtherTab && !isAnyTurnRunningElsewhere(getState())) return endWait(false);
    if (await isLockHeld()) return watchOtherTabsSoon.schedule();
    // The other tab has released the lock, but its last write may not have arrived yet.
    await transcript.refresh?.();
    dispatch({ type: 'replyElsewhereEnded' });
    endWait(true);
  }

  function merge(): void {
    if (getState().pending !== null) return;
    const { conversationId, draft, ...stored } = transcript.load();
    dispatch({ type: 'merged', conversationId, tree: treeOf(stored) });
    void watchOtherTabs();
  }

  function abort(event: ConversationEvent): void {
    endWait(false);
    turnController?.abort(event.type);
    dispatch(event);
  }

  /** Returns the draft unless `text` is a string: it is an event if the caller uses `send` itself as an event handler. */
  function questionOf(text: unknown): string {
    return typeof text === 'string' ? text : getState().draft.text;
  }

  function newQuestion(question: string): Question {
    const id = createRequestId();
    return { id, requestId: id, question, askedAt: clock.now() };
  }

  function mayBeTruncatedTurn({ reply, ending }: Pick<Turn, 'reply' | 'ending'>): boolean {
    return ending?.type === 'done' && (mayBeTruncated?.(reply) ?? false);
  }

  const remainingSeconds = cooldown?.load() ?? null;
  if (remainingSeconds !== null) void runCooldown(remainingSeconds);
  void watchOtherTabs();

  return {
    getState,
    subscribe,
    mayBeTruncated: mayBeTruncatedTurn,

    async send(text) {
      const state = getState();
      const { tree, draft, waitsForOtherTab } = state;
      const question = questionOf(text);
      if (isBlank(question) || !canSend(state)) return null;
      const edited = findTurn(tree, draft.editedId);
      if (edited) return runTurns(createPendingVersion(state, edited, newQuestion(question), 'edit'));
      // Questions that are already queued are sent first.
      if (waitsForOtherTab && draft.queued.length > 0) {
        if (isQueueFull(state)) return null;
        dispatch({ type: 'questionQueued', question });
      } else {
        const outcome = await runTurns(createPendingTurn(state, newQuestion(question), 'draft'));
        if (outcome !== null) return outcome;
        // Without the lock, `lockUnavailable` has queued the question.
      }
      return sendNextOnceFree();
    },

    async continueReply(question) {
      const state = getState();
      if (isBlank(question) || !canSend(state)) return null;
      return runTurns(createPendingTurn(state, { ...newQuestion(question), isContinuation: true }, 'action'));
    },

    async regenerate(turnId) {
      const state = getState();
      const turn = shownTurn(state, turnId);
      if (turn === undefined || !canSend(state)) return null;
      return runTurns(createPendingVersion(state, turn, newQuestion(turn.question), 'action'));
    },

    async tryAgain() {
      const state = getState();
      const last = state.turns.at(-1);
      if (last === undefined || last.ending?.type === 'done' || !canSend(state)) return null;
      const { question, requestId } = last;
      return runTurns(createPendingVersion(state, last, { ...newQuestion(question), requestId }, 'action'));
    },

    sendQueued: () => sendNext(false),
    stop: () => abort({ type: 'turnStopped' }),

    setDraft: (text) => dispatch({ type: 'draftChanged', text }),
    edit: (turnId) => dispatch({ type: 'editStarted', turnId }),
    cancelEdit: () => dispatch({ type: 'editCancelled' }),
    unqueue: (index = -1) => dispatch({ type: 'questionDequeued', index }),
    removeQueued: (index) => dispatch({ type: 'queuedQuestionRemoved', index }),
    queue(text) {
      const question = questionOf(text);
      if (canQueue(getState()) && !isBlank(question)) dispatch({ type: 'questionQueued', question });
    },

    showVersion: (turnId) => dispatch({ type: 'versionSelected', turnId }),

    clear() {
      cooldown?.save(0);
      abort({ type: 'cleared' });
    },

    persist() {
      if (getState().pending === null) persistDraft();
      else persistAll();
    },

    prepareToLeave() {
      leavingAt = clock.steadyNow();
    },

    leave() {
      abort({ type: 'pageLeft' });
      persistDraft();
    },

    exceedsHistory: (turns) => exceedsHistory(turns, budgetBytes),

    loadStored: merge,
    watchOtherTabs,
  };
}
