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
import type { Clock } from './clock.ts';
import { type ConversationState, canSend, isWrittenElsewhere } from './conversation-state.ts';
import { createKeeping } from './keeping.ts';
import { createMessageField } from './message-field.ts';
import { isRefusal, type Outcome } from './outcome.ts';
import { createPaced } from './paced.ts';
import { type RunningTurn, startTurn } from './running-turn.ts';
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
  let running: RunningTurn | undefined;
  const { getState, subscribe, update } = createStore<ConversationState>({
    ...loaded.typed,
    turns: loaded.turns,
    phase: idle,
    blockedUntil: null,
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
  const settleSoon = createPaced(clock, 1000, settle);

  async function block(seconds: number): Promise<void> {
    const blockedUntil = clock.now() + seconds * 1000;
    update({ blockedUntil });
    await waitUntil(blockedUntil, clock);
    if (getState().blockedUntil === blockedUntil) update({ blockedUntil: null });
  }

  async function run(
    asking: Asking,
    onAsked?: (state: ConversationState) => Partial<ConversationState>,
  ): Promise<Outcome | null> {
    const { requestId, question, earlier, replaced } = asking;
    update({ phase: { name: 'sending' }, isBusyElsewhere: false, setback: null });
    running = startTurn(
      asking,
      { url, conversationId, fetch, clock, lock },
      {
        onAsked() {
          update({ ...asked(asking), ...onAsked?.(getState()) });
          keep.all();
        },
        onPhase: (phase) => update({ phase }),
        onConversation(id) {
          conversationId = id;
        },
        onText(reply) {
          update({ turns: [...earlier, { requestId, question, reply, ending: null }], phase: { name: 'streaming' } });
          keep.turnsSoon();
          if (replaced) keep.typedSoon();
        },
        onBlocked: block,
        onEnded: (outcome) =>
          rest(isRefusal(outcome) ? refused(getState(), asking) : ended(getState(), asking, outcome)),
      },
    );
    const outcome = await running.outcome;
    if (outcome === null) {
      notSent({ isBusyElsewhere: true });
      settle();
    }
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
    const { asking, abort } = running;
    const state = getState();
    abort();
    if (state.phase.name === 'sending') notSent({});
    else rest(ended(state, asking, endingOf(asking.requestId)));
  }

  function forget(draft: string): void {
    running?.abort();
    running = undefined;
    conversationId = undefined;
    update({ ...nothingTyped, draft, turns: [], phase: idle, isBusyElsewhere: false, setback: null });
    keep.all();
  }

  /** Finds out, at once and then every second, whether a reply is still running elsewhere, for as long as the state says so. */
  async function settle(): Promise<void> {
    if (!getState().isBusyElsewhere && !isWrittenElsewhere(getState())) return;
    if (await lock.isHeld()) return settleSoon.ask();
    update({ isBusyElsewhere: false, ...(isWrittenElsewhere(getState()) && cutOff(getState())) });
  }

  /** Asks a question in the place of the last one. */
  async function replace(question: string, requestId: string): Promise<Outcome | null> {
    return canSend(getState()) ? run(replacing(getState().turns, question, requestId)) : null;
  }

  async function send(question: string): Promise<Outcome | null> {
    const { turns, setAside } = getState();
    if (question.trim() === '' || !canSend(getState())) return null;
    const following = setAside === null ? after : replacing;
    return run(following(turns, question, createRequestId()), (state) => takenFromDraft(state, question));
  }

  async function regenerate(): Promise<Outcome | null> {
    const last = getState().turns.at(-1);
    return last === undefined ? null : replace(last.question, createRequestId());
  }

  settle();

  return {
    getState,
    subscribe,
    ...createMessageField({ getState, update, keep }),

    /**
     * Sends a question, unless it is blank or `canSend` says no; while the last question is being edited, in its place.
     * What is typed stays until it is on its way. Resolves when its turn has ended, with how it came out, or with null
     * where nothing was sent; never rejects. So do the other two ways to ask.
     */
    send,

    /** Asks the last question anew, for another reply in the place of the one it got. */
    regenerate,

    /**
     * Asks the last question again where its turn, or the attempt to replace it, did not end well. An unfinished turn
     * keeps its request id, by which the service knows a question that it has already stored.
     */
    async tryAgain(): Promise<Outcome | null> {
      const { turns, setback, setAside, draft } = getState();
      const last = turns.at(-1);
      if (last === undefined) return null;
      if (setback !== null && setAside !== null) return send(draft);
      if (last.ending?.type !== 'done') return replace(last.question, last.requestId);
      return setback === null ? null : regenerate();
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
