import { type ConversationTree, pathTo } from './conversation-tree.ts';
import type { Draft } from './draft.ts';
import { hasReply, type Turn } from './turn.ts';

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

type WithTree = { tree: ConversationTree };
type Context = WithTree & { draft: Draft };

export function nextTurn(
  { tree, draft }: Context,
  question: Question,
  origin: PendingTurn['origin'],
  isAutomatic = false,
): PendingTurn {
  const turn = { ...question, parentId: tree.shownId, reply: '', ending: null };
  return { turn, previousShownId: tree.shownId, editedId: null, origin, draftText: draft.text, isAutomatic };
}

/** Creates a version of the turn `other`. Replaces `other` if the question is the same and it has no reply and no children. */
export function versionOf(
  { tree, draft }: Context,
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

export function turnsBefore({ tree }: WithTree, { turn }: PendingTurn): readonly Turn[] {
  return pathTo(tree, turn.parentId);
}
