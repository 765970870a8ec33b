import type { Asking } from './asking.ts';
import type { Clock } from './clock.ts';
import { requestMessages } from './history.ts';
import type { Outcome } from './outcome.ts';
import { type Retrying, sendTurn, type Waiting } from './send-turn.ts';
import type { TurnLock } from './turn-lock.ts';

export type TurnParts = {
  url: string;
  headers: Readonly<Record<string, string>> | undefined;
  /** The server's id of the conversation, if it is known. */
  conversationId: string | undefined;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  lock: TurnLock;
};

/** What a conversation hears of its turn. Once that is aborted it hears nothing more. */
export type TurnListener = {
  /** No other turn is running: the question goes out now. */
  onAsked(): void;
  onPhase(phase: Waiting | Retrying): void;
  onConversation(conversationId: string): void;
  /** The whole reply so far. */
  onText(reply: string): void;
  /** The service takes no further turn for so many seconds. */
  onBlocked(seconds: number): void;
  /** The turn has come to its end. Nobody else may ask before this returns. */
  onEnded(outcome: Outcome): void;
};

export type RunningTurn = {
  asking: Asking;
  /** How the turn came out; null where nothing was sent, because another one is running. Never rejects. */
  outcome: Promise<Outcome | null>;
  /** Ends the turn at once, whatever it is doing, and lets others ask. */
  abort(): void;
};

/** Asks a question: waits for its turn, sends it by the retry table, and tells `listener` what comes of it. */
export function startTurn(asking: Asking, parts: TurnParts, listener: TurnListener): RunningTurn {
  const { url, headers, conversationId, fetch, clock, lock } = parts;
  const { turn, earlier } = asking;
  const controller = new AbortController();
  const { signal } = controller;

  async function run(): Promise<Outcome | null> {
    const release = await lock.take();
    if (signal.aborted) {
      release?.();
      return { type: 'stopped' };
    }
    if (release === null) return null;
    // Not only in the end: who stops a turn may ask the next question at once.
    signal.addEventListener('abort', release);

    listener.onAsked();
    const outcome = await sendTurn(
      {
        url,
        headers,
        requestId: turn.requestId,
        messages: requestMessages(earlier, turn.question),
        conversationId,
      },
      {
        fetch,
        clock,
        signal,
        onPhase: listener.onPhase,
        onConversation(id) {
          if (!signal.aborted) listener.onConversation(id);
        },
        onText(reply) {
          if (!signal.aborted) listener.onText(reply);
        },
        onOutcome(attempted) {
          const isLimited = attempted.type === 'failed' && attempted.code === 'RATE_LIMITED';
          if (isLimited && attempted.retryAfterSeconds !== undefined) listener.onBlocked(attempted.retryAfterSeconds);
        },
      },
    );
    if (signal.aborted) return { type: 'stopped' };
    listener.onEnded(outcome);
    release();
    return outcome;
  }

  return { asking, outcome: run(), abort: () => controller.abort() };
}
