import type { ConversationState } from './conversation-state.ts';
import {
  type ConversationTree,
  pathTo,
  showing,
  shownPath,
  turnOf,
  withoutTurn,
  withTurn,
} from './conversation-tree.ts';
import type { Ending, Turn } from './turn.ts';
import { versionsShown } from './turn-versions.ts';
import { paragraphs, type Typed, typedBeside } from './typed.ts';

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
export type Question = Pick<Turn, 'id' | 'requestId' | 'question' | 'askedAt'>;

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
  const turn = { ...question, parentId: other.parentId, reply: '', ending: null };
  const isFollowed = before.turns.some(({ parentId }) => parentId === other.id);
  if (other.reply !== '' || isFollowed) return { turn, earlier, before, instead: other };
  const id = question.question === other.question ? other.id : question.id;
  return { turn: { ...turn, id }, earlier, before, instead: undefined };
}

/** What there is to show of these turns. */
export function shown(tree: ConversationTree) {
  return { tree, turns: shownPath(tree), versions: versionsShown(tree) };
}

/** The question is asked. */
export function asked({ before, turn }: Asking): Changes {
  return { ...shown(withTurn(before, turn)), phase: { name: 'waiting', attempt: 1 }, canUndoStartOver: false };
}

/** What was typed is on its way as `question`; what was put aside for it comes back. */
export function takenFromDraft({ draft, setAside }: Typed, question: string): Changes {
  return draft === question ? { draft: setAside ?? '', setAside: null, editedId: null, wasRefused: false } : {};
}

/** The last turn has become this one; which versions there are is as it was. */
export function grown({ tree, turns }: ConversationState, turn: Turn): Changes {
  return { tree: withTurn(tree, turn), turns: [...turns.slice(0, -1), turn] };
}

/** The turn has ended. */
export function ended(state: ConversationState, asking: Asking, ending: Ending): Changes {
  if (ending.type === 'done' || asking.instead === undefined || !isWithoutReply(state)) {
    const last = state.turns.at(-1);
    return last === undefined ? {} : grown(state, { ...last, ending });
  }
  return { ...putBack(state, asking), setback: ending.type === 'stopped' ? null : ending };
}

/** The service has refused to talk to this person. */
export function refused(state: ConversationState, asking: Asking): Changes {
  const { turn, instead } = asking;
  if (instead !== undefined) {
    const back = putBack(state, asking);
    return { ...back, wasRefused: back.draft !== undefined };
  }
  const draft = paragraphs(turn.question, state.draft);
  return { ...shown(withoutTurn(state.tree, turn.id)), draft, wasRefused: true };
}

/** What the device is to keep while the question is on its way: a reload finds nothing lost. */
export function toKeep(state: ConversationState, asking: Asking | undefined): ConversationState {
  return asking?.instead && isWithoutReply(state) ? { ...state, ...putBack(state, asking) } : state;
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
  const tree = isContinued || isGone ? kept : showing(kept, shownId);
  return { ...shown(tree), ...typedBeside(tree, state) };
}

function putBack({ draft, setAside }: ConversationState, { before, turn: { question }, instead }: Asking): Changes {
  const back = shown(before);
  if (instead === undefined || question === instead.question) return back;
  return { ...back, draft: question, setAside: paragraphs(setAside ?? '', draft), editedId: instead.id };
}

function isWithoutReply({ turns }: ConversationState): boolean {
  return turns.at(-1)?.reply === '';
}
