import { type Asking, asked, cutOff, ended, grown, refused } from './asking.ts';
import { type Clock, unawaited } from './clock.ts';
import { type ConversationState, hasOpenTurn } from './conversation-state.ts';
import type { KeptWait } from './kept-wait.ts';
import { isRefusal, type Outcome } from './outcome.ts';
import { createPaced } from './paced.ts';
import { type RunningTurn, startTurn } from './running-turn.ts';
import type { Ending } from './turn.ts';
import type { TurnLock } from './turn-lock.ts';
import { waitUntil } from './wait.ts';

type Parts = {
  url: string;
  headers: Readonly<Record<string, string>> | undefined;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  lock: TurnLock;
  keptWait: KeptWait | undefined;
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  keep: { all(): void; turnsSoon(): void; typedSoon(): void };
  /** Told when a question goes out. */
  onAsked: () => void;
};

const idle = { name: 'idle' } as const;

/** The turns of a conversation: runs one at a time, and puts what comes of it into the conversation's state. */
export function createConversationTurns(parts: Parts) {
  const { url, headers, fetch, clock, lock, keptWait, getState, update, keep } = parts;
  // A program that has nothing more to ask ends, however long the service takes no question.
  const background = unawaited(clock);
  let running: RunningTurn | undefined;
  const settleSoon = createPaced(background, 1000, settle);

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

  /** Asks a question; resolves with how its turn came out, or with null where another one is running elsewhere. */
  async function run(
    asking: Asking,
    onAsked?: (state: ConversationState) => Partial<ConversationState>,
  ): Promise<Outcome | null> {
    const { conversationId } = getState();
    update({ phase: { name: 'sending' }, isBusyElsewhere: false, setback: null });
    running = startTurn(
      asking,
      { url, headers, conversationId, fetch, clock, lock },
      {
        onAsked() {
          update({ ...asked(asking), ...onAsked?.(getState()) });
          keep.all();
          parts.onAsked();
        },
        onPhase: (phase) => update({ phase }),
        onConversation: (id) => update({ conversationId: id }),
        onText(reply) {
          update({ ...grown(getState(), { ...asking.turn, reply }), phase: { name: 'streaming' } });
          keep.turnsSoon();
          if (asking.instead) keep.typedSoon();
        },
        onBlocked: block,
        onEnded: (outcome) =>
          rest(isRefusal(outcome) ? refused(getState(), asking) : ended(getState(), asking, endingOf(outcome))),
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

  /** Finds out, at once and then every second, whether a reply is still running elsewhere, for as long as the state says so. */
  async function settle(): Promise<void> {
    if (!getState().isBusyElsewhere && !isOpenElsewhere()) return;
    if (await lock.isHeld()) return settleSoon.ask();
    update({ isBusyElsewhere: false, ...(isOpenElsewhere() && cutOff(getState())) });
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

    /** Ends the running turn at once, whatever it is doing, and keeps what arrived. */
    halt(haltedAs: (requestId: string) => Ending): void {
      if (running === undefined) return;
      const { asking, abort } = running;
      const state = getState();
      abort();
      if (state.phase.name === 'sending') notSent({});
      else rest(ended(state, asking, haltedAs(asking.turn.requestId)));
    },

    /** Ends the running turn without a trace, and keeps what there is with these changes. */
    drop(changes: Partial<ConversationState>): void {
      running?.abort();
      rest(changes);
    },
  };
}

/** What is kept of how a turn came out. */
function endingOf(outcome: Outcome): Ending {
  if (outcome.type !== 'failed') return outcome;
  const { type, requestId, sentence, code, status } = outcome;
  return { type, requestId, sentence, code, status };
}
