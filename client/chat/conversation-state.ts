import { type ConversationTree, shownPath, type TurnVersions, treeOf, versionsShown } from './conversation-tree.ts';
import { type Draft, draftFor } from './draft.ts';
import type { PendingTurn } from './pending-turn.ts';
import type { Offline, Retrying, Waiting } from './send-turn.ts';
import type { TranscriptRecord } from './transcript.ts';
import type { Turn } from './turn.ts';

/**
 * The progress of a turn. `sending` lasts while the turn lock is requested, before any request. `waiting` and `streaming` are an
 * attempt before and after its first text, `retrying` is the wait for the next one, and `offline` the wait for the network.
 */
export type Phase = { name: 'idle' } | { name: 'sending' } | Waiting | { name: 'streaming' } | Retrying | Offline;

/** All of a conversation but what is typed. */
export type TurnsState = {
  /** The service's id of the conversation, once live chat has named it. */
  conversationId: string | undefined;
  /** All turns, those of other versions too. */
  tree: ConversationTree;
  /** The shown turns, the latest last. The last turn is the running one, if any is. */
  turns: readonly Turn[];
  /** The versions of each shown turn that has more than one of its question or reply, by the turn's id. */
  versions: ReadonlyMap<string, TurnVersions>;
  /** What this tab's turn is doing; `idle` while none runs. */
  phase: Phase;
  /** This tab's turn from the request to its end; null exactly while `phase` is `idle`. */
  pending: PendingTurn | null;
  /**
   * Since when the person has been waiting for the running turn, and the time of its last activity: an attempt, or more of the
   * reply. Both in milliseconds since the epoch; null while none runs, and while it waits for the network.
   */
  waiting: { since: number; lastActivityAt: number } | null;
  /** Milliseconds since the epoch before which the service takes no further turn, or null. */
  blockedUntil: number | null;
  /** Whether a question was not sent because a reply is running elsewhere, and it still is. */
  isBusyElsewhere: boolean;
  /** Whether the last question was sent from the queue without an action of the person, who may be reading something else. */
  wasSentAutomatically: boolean;
};

export type ConversationState = TurnsState & {
  /** What is typed and not sent. */
  draft: Draft;
  /** The text of the last edit that was cancelled, and of which turn's question; null once it is edited again. */
  unsentRewording: { turnId: string; text: string } | null;
};

/** The state of a conversation as its transcript stores it. */
export function stateOf({
  conversationId,
  turns,
  shownId,
  draft,
}: TranscriptRecord & { draft: Draft }): ConversationState {
  const tree = treeOf(turns, shownId);
  return {
    ...pathOf(tree),
    conversationId,
    phase: { name: 'idle' },
    pending: null,
    waiting: null,
    blockedUntil: null,
    isBusyElsewhere: false,
    wasSentAutomatically: false,
    draft: draftFor(tree, draft),
    unsentRewording: null,
  };
}

/** A tree with what the state derives from it. */
export function pathOf(tree: ConversationTree): Pick<TurnsState, 'tree' | 'turns' | 'versions'> {
  return { tree, turns: shownPath(tree), versions: versionsShown(tree) };
}

/** The shown turn `id`, or the last one if there is no `id`. */
export function shownTurn({ turns }: Pick<TurnsState, 'turns'>, id: string | undefined): Turn | undefined {
  return id === undefined ? turns.at(-1) : turns.find((turn) => turn.id === id);
}

/** Whether a question can be sent now: one turn at a time, and none while the service has asked to wait. */
export function canSend({ phase, blockedUntil }: Pick<TurnsState, 'phase' | 'blockedUntil'>): boolean {
  return phase.name === 'idle' && blockedUntil === null;
}

/** Whether a question can be queued now: a reply is awaited, and no question is being edited. */
export function canQueue({ phase, draft }: Pick<ConversationState, 'phase' | 'draft'>): boolean {
  return phase.name !== 'idle' && phase.name !== 'sending' && draft.setAside === null;
}

/** Whether another version can be shown now: none while a turn of this conversation runs, here or in another tab. */
export function canShowVersion({ phase, tree }: Pick<TurnsState, 'phase' | 'tree'>): boolean {
  return phase.name === 'idle' && !hasOpenTurn(tree);
}

/** Whether the last turn is being written in another tab. */
export function isWrittenElsewhere({ turns, phase }: Pick<TurnsState, 'turns' | 'phase'>): boolean {
  return phase.name === 'idle' && turns.at(-1)?.ending === null;
}

/** Whether the reply to any version may still be running in another tab. */
export function hasTurnElsewhere({ phase, tree }: Pick<TurnsState, 'phase' | 'tree'>): boolean {
  return phase.name === 'idle' && hasOpenTurn(tree);
}

function hasOpenTurn({ turns }: ConversationTree): boolean {
  return turns.some(({ ending }) => ending === null);
}
