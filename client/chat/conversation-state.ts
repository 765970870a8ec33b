import type { ConversationTree, TurnVersions } from './conversation-tree.ts';
import type { Offline, Retrying, Waiting } from './send-turn.ts';
import type { Turn } from './turn.ts';

/**
 * What a turn is doing. `sending` lasts until it is known that no other turn of this person runs; nothing has gone out until then.
 * `waiting` and `streaming` are an attempt before and after its first text, `retrying` is the wait for the next one,
 * and `offline` the wait for the network.
 */
export type Phase = { name: 'idle' } | { name: 'sending' } | Waiting | { name: 'streaming' } | Retrying | Offline;

export type ConversationState = {
  /** The service's id of the conversation, once live chat has named it. */
  conversationId: string | undefined;
  /** All turns, those of other versions too. */
  tree: ConversationTree;
  /** What is shown of them, the latest last. The last turn is the running one, if any is. */
  turns: readonly Turn[];
  /** The versions of each shown turn that has more than one of its question or reply, by the turn's id. */
  versions: ReadonlyMap<string, TurnVersions>;
  /** What this tab's turn is doing; `idle` while none runs. */
  phase: Phase;
  /**
   * Since when the person has been waiting for the running turn, and when something last happened to it: an attempt, or more of the
   * reply. Both in milliseconds since the epoch; null while none runs, and while it waits for the network.
   */
  waiting: { since: number; heardAt: number } | null;
  /** Milliseconds since the epoch before which the service takes no further turn, or null. */
  blockedUntil: number | null;
  /** Whether a question was not sent because a reply is running elsewhere, and it still is. */
  isBusyElsewhere: boolean;
  /** Whether the last question went out by itself, from the line: the person may be reading something else. */
  wasInLine: boolean;
};

/** Whether a question can be sent now: one turn at a time, and none while the service has asked to wait. */
export function canSend({ phase, blockedUntil }: ConversationState): boolean {
  return phase.name === 'idle' && blockedUntil === null;
}

/** Whether another version can be shown now: none while a turn of this conversation runs, here or in another tab. */
export function canShowVersion({ phase, tree }: ConversationState): boolean {
  return phase.name === 'idle' && !hasOpenTurn(tree);
}

/** Whether the last turn is being written in another tab. */
export function isWrittenElsewhere({ turns, phase }: ConversationState): boolean {
  return phase.name === 'idle' && turns.at(-1)?.ending === null;
}

/** Whether the reply to any of the turns has not come to its end. */
export function hasOpenTurn({ turns }: ConversationTree): boolean {
  return turns.some(({ ending }) => ending === null);
}
