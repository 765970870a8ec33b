import type { ConversationState } from './conversation-state.ts';
import { pathTo } from './conversation-tree.ts';
import { hasReply, type Turn } from './turn.ts';

/** A turn from the request to its end. */
export type PendingTurn = {
  /** The turn as it is sent: without a reply. */
  turn: Turn;
  /** The last turn that was shown before; null if there was none. */
  previousShownId: string | null;
  /** The turn whose question was edited; null if the question is no edited one. */
  editedId: string | null;
  /** Where the question comes from: typed, an edited question, the queue, or an action on a turn. */
  origin: 'draft' | 'edit' | 'queue' | 'action';
  /** Whether it is sent without an action of the person. */
  isAutomatic: boolean;
};

/** A question as it is sent, with the ids of its turn. */
export type Question = Pick<Turn, 'id' | 'requestId' | 'question' | 'askedAt' | 'isContinuation'>;

type Place = Pick<ConversationState, 'tree'>;

/** The turn of a question that follows the last shown turn. */
export function nextTurn(
  { tree }: Place,
  question: Question,
  origin: PendingTurn['origin'],
  isAutomatic = false,
): PendingTurn {
  const turn = { ...question, parentId: tree.shownId, reply: '', ending: null };
  return { turn, previousShownId: tree.shownId, editedId: null, origin, isAutomatic };
}

/**
 * The turn of a question that becomes another version of the turn `other`. It replaces that turn if the question is the same, and
 * `other` has neither a reply nor a turn that follows it.
 */
export function versionOf(
  { tree }: Place,
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
    isAutomatic: false,
  };
}

/** The turns that the pending one follows, first to last. */
export function turnsBefore({ tree }: Place, { turn }: PendingTurn): readonly Turn[] {
  return pathTo(tree, turn.parentId);
}
