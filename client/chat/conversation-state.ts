import { type ConversationTree, shownPath, type TurnVersions, treeOf, versionsShown } from './conversation-tree.ts';
import { type Draft, draftFor } from './draft.ts';
import type { Offline, Retrying, Waiting } from './send-turn.ts';
import type { TranscriptRecord } from './transcript.ts';
import { hasReply, type Turn } from './turn.ts';

/**
 * The progress of a turn. `starting` lasts while the turn lock is requested, before any request. `waiting` and `streaming` are an
 * attempt before and after its first text, `retrying` is the wait for the next one, and `offline` the wait for the network.
 */
export type Phase = { name: 'idle' } | { name: 'starting' } | Waiting | { name: 'streaming' } | Retrying | Offline;

/** The state of a conversation in the npm package. */
export type PublicConversationState = {
  /** The service's id of the conversation, which live chat returns with the first turn. */
  conversationId: string | undefined;
  /** The shown turns, oldest first. A running turn is the last one. */
  turns: readonly Turn[];
  /** By turn id, for each shown turn with several versions of its question or reply. */
  versions: ReadonlyMap<string, TurnVersions>;
  phase: Phase;
  /**
   * The start of the running turn, or of its attempt after a wait for the network, and the time of the last change of `phase` or of
   * the reply. Both are times of the clock's `steadyNow`; null while no turn runs, and while it waits for the network.
   */
  timing: { since: number; lastActivityAt: number } | null;
  /** The time at which the service accepts the next turn, by the clock's `steadyNow`; null if it accepts one now. */
  cooldownUntil: number | null;
  /** Whether the last turn could not start because a reply is running elsewhere. A queued question is sent once that has ended. */
  waitsForOtherTab: boolean;
  /** Whether the last question was sent from the queue without an action of the user, who may be reading something else. */
  wasSentAutomatically: boolean;
  draft: Draft;
  /** The text of the last cancelled edit, and the turn of its question; null once a question is edited again. */
  cancelledEdit: { turnId: string; text: string } | null;
};

export type ConversationState = PublicConversationState & {
  tree: ConversationTree;
  /** This tab's running turn; null exactly while `phase` is `idle`. */
  pending: PendingTurn | null;
};

export type TurnsState = Omit<ConversationState, 'draft' | 'cancelledEdit'>;

export function stateOf({ conversationId, draft, ...stored }: TranscriptRecord & { draft: Draft }): ConversationState {
  const tree = treeOf(stored);
  return {
    ...pathOf(tree),
    conversationId,
    phase: { name: 'idle' },
    pending: null,
    timing: null,
    cooldownUntil: null,
    waitsForOtherTab: false,
    wasSentAutomatically: false,
    draft: draftFor(tree, draft),
    cancelledEdit: null,
  };
}

export function pathOf(tree: ConversationTree): Pick<TurnsState, 'tree' | 'turns' | 'versions'> {
  return { tree, turns: shownPath(tree), versions: versionsShown(tree) };
}

/** Returns the shown turn `id`, the last one if `id` is undefined; for a continuation the turn that it continues. */
export function shownTurn({ turns }: Pick<TurnsState, 'turns'>, id: string | undefined): Turn | undefined {
  const index = id === undefined ? turns.length - 1 : turns.findIndex((turn) => turn.id === id);
  return turns.slice(0, index + 1).findLast(({ isContinuation }) => !isContinuation);
}

/** Returns whether a question can be sent now: no turn of the conversation is running in this tab, and no cooldown is running. */
export function canSend({ phase, cooldownUntil }: Pick<PublicConversationState, 'phase' | 'cooldownUntil'>): boolean {
  return phase.name === 'idle' && cooldownUntil === null;
}

/** Bounds the number of turns that are sent automatically, which the user may no longer want. */
const maxQueued = 10;

export function isQueueFull({ draft }: Pick<PublicConversationState, 'draft'>): boolean {
  return draft.queued.length >= maxQueued;
}

/**
 * Returns whether a question can be queued now: the running turn is past `starting`, no question is being edited, and fewer than ten
 * are queued.
 */
export function canQueue({ phase, draft }: Pick<PublicConversationState, 'phase' | 'draft'>): boolean {
  const isRunning = phase.name !== 'idle' && phase.name !== 'starting';
  return isRunning && draft.setAside === null && !isQueueFull({ draft });
}

/** Returns whether another version can be shown now: no turn of this conversation is running in any tab. */
export function canShowVersion({ phase, tree }: Pick<TurnsState, 'phase' | 'tree'>): boolean {
  return phase.name === 'idle' && !isAnyTurnRunningElsewhere({ phase, tree });
}

export function isLastTurnRunningElsewhere({ turns, phase }: Pick<TurnsState, 'turns' | 'phase'>): boolean {
  return phase.name === 'idle' && turns.at(-1)?.ending === null;
}

/** Returns whether the reply to any version may still be running in another tab. */
export function isAnyTurnRunningElsewhere({ phase, tree }: Pick<TurnsState, 'phase' | 'tree'>): boolean {
  return phase.name === 'idle' && tree.turns.some(({ ending }) => ending === null);
}

export type PendingTurn = {
  turn: Turn;
  previousShownId: string | null;
  editedId: string | null;
  /** `draft` for a new question, `edit` for an edited one, `queue` for a queued one, `action` for “Try again” and other actions. */
  origin: 'draft' | 'edit' | 'queue' | 'action';
  /** The text of the message field when the turn was requested. */
  draftText: string;
  isAutomatic: boolean;
};

export type Question = Pick<Turn, 'id' | 'requestId' | 'question' | 'askedAt' | 'isContinuation'>;

type TreeAndDraft = Pick<ConversationState, 'tree' | 'draft'>;

export function createPendingTurn(
  { tree, draft }: TreeAndDraft,
  question: Question,
  origin: PendingTurn['origin'],
  isAutomatic = false,
): PendingTurn {
  const turn = { ...question, parentId: tree.shownId, reply: '', ending: null };
  return { turn, previousShownId: tree.shownId, editedId: null, origin, draftText: draft.text, isAutomatic };
}

/** Creates a version of the turn `other`. Replaces `other` if the question is the same and it has no reply and no children. */
export function createPendingVersion(
  { tree, draft }: TreeAndDraft,
  other: Turn,
  question: Question,
  origin: PendingTurn['origin'],
): PendingTurn {
  const isSame = question.question === other.question;
  const isFollowed = tree.turns.some(({ parentId }) => parentId === other.id);
  const isReplaced = isSame && !hasReply(other) && !isFollowed;
  const turn = {
    ...question,
    id: isReplaced ? other.id : question.id,
    parentId: other.parentId,
    reply: '',
    ending: null,
    ...(isSame && other.isContinuation && { isContinuation: true as const }),
  };
  return {
    turn,
    previousShownId: tree.shownId,
    editedId: isSame ? null : other.id,
    origin,
    draftText: draft.text,
    isAutomatic: false,
  };
}
