import type { Retrying, Waiting } from './send-turn.ts';
import type { Turn } from './turn.ts';

export type Phase = { name: 'idle' } | Waiting | { name: 'streaming' } | Retrying;

export type ConversationState = {
  turns: readonly Turn[];
  /** What the last turn is doing; `idle` once it has an ending. */
  phase: Phase;
  /** What is typed and not sent. */
  draft: string;
  /** Milliseconds since the epoch before which the service takes no further turn, or null. */
  blockedUntil: number | null;
  /** Why the service does not talk to this person as things stand; the refused question is back in the draft. */
  refusal: 'UNAUTHENTICATED' | 'NOT_ONBOARDED' | null;
  /** False where the device had no room for the whole transcript. */
  kept: boolean;
};

/** Whether a question can be sent now: one turn at a time, and none while the service has asked to wait. */
export function canSend({ phase, blockedUntil }: ConversationState): boolean {
  return phase.name === 'idle' && blockedUntil === null;
}
