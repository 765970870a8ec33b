import { type Draft, draftBeside, paragraphs, without } from './composer.ts';
import type { ConversationState } from './conversation-state.ts';
import {
  type ConversationTree,
  pathTo,
  showing,
  shownPath,
  turnOf,
  versionsShown,
  withoutTurn,
  withTurn,
} from './conversation-tree.ts';
import { hasReply, type Turn } from './turn.ts';

/** A turn on its way. */
export type Asking = {
  /** As it is asked: without a reply. */
  turn: Turn;
  /** What was said before it. */
  earlier: readonly Turn[];
  /** The conversation as it stood. */
  before: ConversationTree;
  /** The turn whose question is asked differently; null where no question was edited. */
  editedId: string | null;
};

/** What is asked for the first time. */
export type Question = Pick<Turn, 'id' | 'requestId' | 'question' | 'askedAt' | 'isContinuation'>;

type Changes = Partial<ConversationState>;

/** The question asked after what is shown. */
export function after(before: ConversationTree, question: Question): Asking {
  const turn = { ...question, parentId: before.shownId, reply: '', ending: null };
  return { turn, earlier: shownPath(before), before, editedId: null };
}

/**
 * The question asked as another version of the turn `other`; in its own place, where it is the same question and nothing has
 * come of it.
 */
export function versionOf(before: ConversationTree, other: Turn, question: Question): Asking {
  const earlier = pathTo(before, other.parentId);
  const isSame = question.question === other.question;
  const turn = {
    ...question,
    parentId: other.parentId,
    reply: '',
    ending: null,
    ...(isSame && other.isContinuation && { isContinuation: true as const }),
  };
  const isFollowed = before.turns.some(({ parentId }) => parentId === other.id);
  const isReplaced = isSame && !hasReply(other) && !isFollowed;
  return {
    turn: isReplaced ? { ...turn, id: other.id } : turn,
    earlier,
    before,
    editedId: isSame ? null : other.id,
  };
}

/** What there is to show of these turns. */
export function shown(tree: ConversationTree) {
  return { tree, turns: shownPath(tree), versions: versionsShown(tree) };
}

/** The last turn has become this one; which versions there are is as it was. */
export function grown({ tree, turns }: ConversationState, turn: Turn): Changes {
  return { tree: withTurn(tree, turn), turns: [...turns.slice(0, -1), turn] };
}

/** The turns once the service has refused the running one: what was shown before is shown again. */
export function withoutRefused({ tree }: ConversationState, { turn, before }: Asking): ConversationTree {
  const rest = withoutTurn(tree, turn.id);
  return turnOf(rest, before.shownId) === undefined ? rest : { ...rest, shownId: before.shownId };
}

/** The draft once the service has refused the question of a turn, which the conversation `rest` no longer has. */
export function draftRefused(kept: Draft, { turn, editedId }: Asking, rest: ConversationTree): Draft {
  const { question, parentId } = turn;
  if (rest.turns.some((other) => other.parentId === parentId && other.question === question)) return kept;
  if (editedId === null) return { ...kept, draft: paragraphs(question, kept.draft), wasRefused: true };
  return {
    ...kept,
    draft: question,
    setAside: paragraphs(kept.setAside ?? '', kept.draft),
    editedId,
    wasRefused: true,
  };
}

/** Nobody writes these turns any more: they were cut off with the page that had asked. */
export function cutOff({ tree: { turns, shownId } }: ConversationState): Changes {
  const cut = turns.map((turn): Turn => {
    const { ending, requestId } = turn;
    return ending === null ? { ...turn, ending: { type: 'left', requestId } } : turn;
  });
  return shown({ turns: cut, shownId });
}

/**
 * Another tab has gone on with the conversation. What follows the last shown turn is shown too; another version that the
 * other tab shows is not, for nobody asked for it here.
 */
export function takenIn(state: ConversationState, kept: ConversationTree): Changes {
  const { shownId } = state.tree;
  const isContinued = shownId === null || pathTo(kept, kept.shownId).some(({ id }) => id === shownId);
  const isGone = turnOf(kept, shownId) === undefined;
  return shown(isContinued || isGone ? kept : showing(kept, shownId));
}

/** The draft beside what another tab has kept, where these were the turns here. */
export function draftTakenIn(draft: Draft, { tree }: ConversationState, kept: ConversationTree): Draft {
  // The other tab may have had the same questions in line, and sent it.
  const sent = kept.turns.filter(({ id }) => turnOf(tree, id) === undefined);
  const queued = sent.reduce((left, { question }) => without(left, question), draft.queued);
  return { ...draftBeside(kept, draft), queued };
}
