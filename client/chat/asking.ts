import { type Draft, draftBeside, paragraphs, without } from './composer.ts';
import type { ConversationState } from './conversation-state.ts';
import {
  type ConversationTree,
  pathTo,
  showing,
  shownPath,
  turnOf,
  versionsShown,
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
  /** What it is another version of, if anything comes of that already: it is shown again where nothing comes of this one. */
  instead: Turn | undefined;
};

/** What is asked for the first time. */
export type Question = Pick<Turn, 'id' | 'requestId' | 'question' | 'askedAt' | 'isContinuation'>;

type Changes = Partial<ConversationState>;

/** The question asked after what is shown. */
export function after(before: ConversationTree, question: Question): Asking {
  const turn = { ...question, parentId: before.shownId, reply: '', ending: null };
  return { turn, earlier: shownPath(before), before, instead: undefined };
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
  if (hasReply(other) || isFollowed) return { turn, earlier, before, instead: other };
  return { turn: { ...turn, id: isSame ? other.id : question.id }, earlier, before, instead: undefined };
}

/** What there is to show of these turns. */
export function shown(tree: ConversationTree) {
  return { tree, turns: shownPath(tree), versions: versionsShown(tree) };
}

/** The last turn has become this one; which versions there are is as it was. */
export function grown({ tree, turns }: ConversationState, turn: Turn): Changes {
  return { tree: withTurn(tree, turn), turns: [...turns.slice(0, -1), turn] };
}

/** Whether the turn was asked as another version, and nothing has come of it. */
export function isForNothing({ turns }: ConversationState, { instead }: Asking): boolean {
  return instead !== undefined && turns.length > 0 && !hasReply(turns.at(-1));
}

/** The draft once the question of a turn that came to nothing is to be edited again. */
export function draftPutBack(kept: Draft, { turn: { question }, instead }: Asking): Draft {
  if (instead === undefined || question === instead.question) return kept;
  return { ...kept, draft: question, setAside: paragraphs(kept.setAside ?? '', kept.draft), editedId: instead.id };
}

/** The draft once the service has refused the question of a turn. */
export function draftRefused(kept: Draft, asking: Asking): Draft {
  const { turn, instead } = asking;
  if (instead === undefined) return { ...kept, draft: paragraphs(turn.question, kept.draft), wasRefused: true };
  return { ...draftPutBack(kept, asking), wasRefused: turn.question !== instead.question };
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
