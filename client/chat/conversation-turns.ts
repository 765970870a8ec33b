import { errorSentence, errors } from '../../shared/errors.ts';
import { type Asking, cutOff, draftRefused, grown, shown, withoutRefused } from './asking.ts';
import { type Clock, createPaced, unawaited, waitUntil } from './clock.ts';
import type { ConversationComposer } from './composer.ts';
import { type ConversationState, hasOpenTurn } from './conversation-state.ts';
import { withTurn } from './conversation-tree.ts';
import { requestMessages } from './history.ts';
import type { KeptWait } from './kept-wait.ts';
import { isRefusal, type Outcome } from './outcome.ts';
import { sendTurn } from './send-turn.ts';
import { createListeners } from './store.ts';
import type { Transcript } from './transcript.ts';
import { type Ending, hasReply } from './turn.ts';
import type { TurnLock } from './turn-lock.ts';

type Parts = {
  url: string;
  headers: Readonly<Record<string, string>> | undefined;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  silenceSeconds: number | undefined;
  lock: TurnLock;
  isSignedOut: (() => Promise<boolean>) | undefined;
  keptWait: KeptWait | undefined;
  transcript: Pick<Transcript, 'refresh'>;
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  composer: Pick<ConversationComposer, 'getState' | 'update'>;
  keep: { all(): void; turnsSoon(): void };
};

/** How long a navigation may take from its beginning until the page is left. It can also be called off. */
const navigationMilliseconds = 10_000;

const idle = { phase: { name: 'idle' }, waiting: null } as const;

/** The turns of a conversation: runs one at a time, and puts what comes of it into the conversation's state. */
export function createConversationTurns(parts: Parts) {
  const {
    url,
    headers,
    fetch,
    clock,
    silenceSeconds,
    lock,
    isSignedOut,
    keptWait,
    transcript,
    getState,
    update,
    composer,
    keep,
  } = parts;
  // A program that has nothing more to ask ends, however long the service takes no question.
  const background = unawaited(clock);
  let running: { asking: Asking; abort(): void } | undefined;
  /** What waits for the end of a reply that is running elsewhere. */
  const free = createListeners<[boolean]>();
  let leavingAt = Number.NEGATIVE_INFINITY;
  const settleSoon = createPaced(background, 1000, settle);

  /**
   * Asks a question; resolves with how its turn came out, or with null where another one is running elsewhere. `onAsked` is called
   * once it is on its way. Never rejects.
   */
  async function run(asking: Asking, onAsked?: () => void, wasInLine = false): Promise<Outcome | null> {
    const { turn, earlier, before } = asking;
    const { conversationId } = getState();
    const controller = new AbortController();
    const { signal } = controller;
    running = { asking, abort: () => controller.abort() };
    update({ phase: { name: 'sending' }, ...heard(), isBusyElsewhere: false });

    const release = await lock.take();
    if (signal.aborted) {
      release?.();
      return { type: 'stopped' };
    }
    if (release === null) {
      notSent({ isBusyElsewhere: true });
      settle();
      return null;
    }
    // Not only in the end: who stops a turn may ask the next question at once.
    signal.addEventListener('abort', release);

    onAsked?.();
    update({ ...shown(withTurn(before, turn)), phase: { name: 'waiting', attempt: 1 }, wasInLine });
    keep.all();
    const messages = requestMessages(earlier, turn.question);
    const outcome = await sendTurn(
      { url, headers, requestId: turn.requestId, messages, conversationId },
      {
        fetch,
        clock,
        silenceSeconds,
        signal,
        onPhase: (phase) => update({ phase, ...(phase.name === 'offline' ? { waiting: null } : heard()) }),
        onConversation(id) {
          if (!signal.aborted) update({ conversationId: id });
        },
        onText(reply) {
          if (signal.aborted) return;
          update({ ...grown(getState(), { ...turn, reply }), phase: { name: 'streaming' }, ...heard() });
          keep.turnsSoon();
        },
        onOutcome(attempted) {
          if (attempted.type !== 'failed' || attempted.code === undefined) return;
          const { code, retryAfterSeconds } = attempted;
          if (errors[code].retry.stopsOthers && retryAfterSeconds !== undefined) block(retryAfterSeconds);
        },
      },
    );
    const wasSignedOut = isBrokenOff(outcome) && (await isSignedOut?.().catch(() => false));
    if (signal.aborted) return { type: 'stopped' };
    if (wasSignedOut) end(sessionEnded(turn.requestId));
    else if (isRefusal(outcome)) {
      const tree = withoutRefused(getState(), asking);
      composer.update(draftRefused(composer.getState(), asking, tree));
      rest(shown(tree));
    } else end(isLeaving(outcome) ? { type: 'left', requestId: turn.requestId } : endingOf(outcome));
    // Not before the end is kept: nobody else may ask until then.
    release();
    return outcome;
  }

  /** Whether a reply has begun and was not completed. */
  function isBrokenOff({ type }: Outcome): boolean {
    return (type === 'failed' || type === 'interrupted') && hasReply(getState().turns.at(-1));
  }

  /** Whether the connection was cut by the browser, because the page is about to be left. */
  function isLeaving({ type }: Outcome): boolean {
    return type === 'interrupted' && clock.now() - leavingAt < navigationMilliseconds;
  }

  /** Something has happened to the running turn. */
  function heard(): Pick<ConversationState, 'waiting'> {
    const heardAt = clock.now();
    return { waiting: { since: getState().waiting?.since ?? heardAt, heardAt } };
  }

  /** The service takes no further turn for so many seconds. */
  function block(seconds: number): void {
    const blockedUntil = clock.now() + seconds * 1000;
    keptWait?.save(blockedUntil);
    blockUntil(blockedUntil);
  }

  async function blockUntil(blockedUntil: number): Promise<void> {
    update({ blockedUntil });
    await waitUntil(blockedUntil, background);
    if (getState().blockedUntil === blockedUntil) update({ blockedUntil: null });
  }

  /** Ends what had not begun. Another tab may be at this conversation: nothing of it is written here. */
  function notSent(changes: Partial<ConversationState>): void {
    running = undefined;
    update({ ...changes, ...idle });
  }

  function end(ending: Ending): void {
    const last = getState().turns.at(-1);
    rest(last === undefined ? {} : grown(getState(), { ...last, ending }));
  }

  /** Ends what is running with these changes, and keeps what there is. */
  function rest(changes: Partial<ConversationState>): void {
    running = undefined;
    update({ ...changes, ...idle });
    keep.all();
  }

  /** Finds out, at once and then every second, whether a reply is still running elsewhere, for as long as the state says so. */
  async function settle(): Promise<void> {
    if (!getState().isBusyElsewhere && !isOpenElsewhere()) return free.tell(false);
    if (await lock.isHeld()) return settleSoon.ask();
    // The other tab has let go of it: what it kept last may be on its way.
    await transcript.refresh?.();
    update({ isBusyElsewhere: false, ...(isOpenElsewhere() && cutOff(getState())) });
    free.tell(true);
  }

  /** Whether a reply, to whichever version, may still be running in another tab. */
  function isOpenElsewhere(): boolean {
    const { phase, tree } = getState();
    return phase.name === 'idle' && hasOpenTurn(tree);
  }

  const keptUntil = keptWait?.load() ?? null;
  if (keptUntil !== null) blockUntil(keptUntil);

  return {
    run,
    settle,

    /** What is being asked, if a turn is running. */
    asking: (): Asking | undefined => running?.asking,

    /** The page may be about to be left. */
    aboutToLeave(): void {
      leavingAt = clock.now();
    },

    /** Resolves with true once no reply is running elsewhere, and with false where that is awaited no longer. */
    whenFree(): Promise<boolean> {
      if (!getState().isBusyElsewhere) return Promise.resolve(true);
      return new Promise((resolve) => {
        const remove = free.add((isFree) => {
          remove();
          resolve(isFree);
        });
      });
    },

    /** Ends the running turn at once, whatever it is doing, and keeps what arrived. */
    halt(haltedAs: (requestId: string) => Ending): void {
      free.tell(false);
      if (running === undefined) return;
      const { asking, abort } = running;
      abort();
      if (getState().phase.name === 'sending') notSent({});
      else end(haltedAs(asking.turn.requestId));
    },

    /** Ends the running turn without a trace, and keeps what there is with these changes. */
    drop(changes: Partial<ConversationState>): void {
      free.tell(false);
      running?.abort();
      rest(changes);
    },
  };
}

/** The ending of a reply that broke off because the session was ended. */
function sessionEnded(requestId: string): Ending {
  const code = 'UNAUTHENTICATED';
  return { type: 'failed', requestId, sentence: errorSentence(code), code, status: 200 };
}

/** What is kept of how a turn came out. */
function endingOf(outcome: Outcome): Ending {
  if (outcome.type === 'interrupted') return { type: outcome.type, requestId: outcome.requestId };
  if (outcome.type !== 'failed') return outcome;
  const { type, requestId, sentence, code, status } = outcome;
  return { type, requestId, sentence, code, status };
}
