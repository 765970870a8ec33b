import type { Turn } from './turn.ts';

export type ConversationTree = {
  /** The turns in order of creation, so a parent comes before its children. */
  turns: readonly Turn[];
  /** The last turn of the path that is shown; null if there is no turn. */
  shownId: string | null;
  /** The last turns of the other paths that were shown, oldest first. Selecting a version shows the path that it last showed. */
  earlierShownIds?: readonly string[] | undefined;
};

/** Returns the tree of the stored turns. An unknown `shownId` is replaced by the latest turn. */
export function treeOf({ turns, shownId, earlierShownIds = [] }: ConversationTree): ConversationTree {
  const ids = new Set(turns.map(({ id }) => id));
  return {
    turns,
    shownId: shownId !== null && ids.has(shownId) ? shownId : (turns.at(-1)?.id ?? null),
    earlierShownIds: earlierShownIds.filter((id) => ids.has(id)),
  };
}

export function findTurn({ turns }: Pick<ConversationTree, 'turns'>, id: string | null): Turn | undefined {
  return turns.find((turn) => turn.id === id);
}

export function shownPath(tree: ConversationTree): readonly Turn[] {
  return pathTo(tree, tree.shownId);
}

export function pathTo({ turns }: Pick<ConversationTree, 'turns'>, id: string | null): readonly Turn[] {
  const path: Turn[] = [];
  let nextId = id;
  for (const turn of turns.toReversed()) {
    if (turn.id !== nextId) continue;
    path.push(turn);
    nextId = turn.parentId;
  }
  return path.reverse();
}

/** Adds `turn`, or replaces the one with its id, and shows it. */
export function withTurn(tree: ConversationTree, turn: Turn): ConversationTree {
  const index = tree.turns.findLastIndex(({ id }) => id === turn.id);
  const turns = index === -1 ? [...tree.turns, turn] : tree.turns.with(index, turn);
  return turn.id === tree.shownId ? { ...tree, turns } : withShownId({ ...tree, turns }, turn.id);
}

/**
 * Removes a turn without children. If it was shown, another version replaces it (the one shown last, or else the latest), or its
 * parent if there is none.
 */
export function withoutTurn(tree: ConversationTree, id: string): ConversationTree {
  const turns = tree.turns.filter((turn) => turn.id !== id);
  if (tree.shownId !== id) return { ...tree, turns };
  const remaining = { ...tree, turns, shownId: null };
  const parentId = findTurn(tree, id)?.parentId ?? null;
  return withShownId(remaining, pathEnds(remaining).get(parentId)?.id ?? parentId);
}

/** Shows the most recently shown path through the turn `id`, extended by the latest turns. */
export function withShownTurn(tree: ConversationTree, id: string): ConversationTree {
  return withShownId(tree, pathEnds(tree).get(id)?.id ?? id);
}

function withShownId(tree: ConversationTree, shownId: string | null): ConversationTree {
  const path = new Set(pathTo(tree, shownId).map(({ id }) => id));
  const earlierShownIds = [...(tree.earlierShownIds ?? []), tree.shownId].filter((id) => id !== null);
  return { turns: tree.turns, shownId, earlierShownIds: earlierShownIds.filter((id) => !path.has(id)) };
}

/**
 * For the question and the reply of a turn: the number of the shown version, from 1, and the ids of the turns to show for the
 * previous and the next version; null at either end.
 */
export type TurnVersions = Record<
  'question' | 'reply',
  { number: number; count: number; previousId: string | null; nextId: string | null }
>;

/**
 * Returns the versions of each shown turn that has several, by turn id. A continuation belongs to the reply that it continues, so
 * each of its versions is one of that reply. The turn to show for a version is the last one of its path.
 */
export function versionsShown(tree: ConversationTree): ReadonlyMap<string, TurnVersions> {
  const children = turnsByParent(tree.turns);
  const ends = pathEnds(tree);
  const versions = new Map<string, TurnVersions>();
  const path = shownPath(tree);
  for (const [index, turn] of path.entries()) {
    if (turn.isContinuation) continue;
    const siblings = questionsAfter(turn.parentId);
    const questions = [...new Set(siblings.map(({ question }) => question))];
    const replies = siblings.filter(({ question }) => question === turn.question).flatMap(replyEnds);
    if (questions.length < 2 && replies.length < 2) continue;
    const shown = path.slice(index).findLast(({ id }) => replies.some((reply) => reply.id === id)) ?? turn;
    versions.set(turn.id, {
      question: positionOf(questions.indexOf(turn.question), questions, (question) =>
        endOf(siblings.filter((sibling) => sibling.question === question)),
      ),
      reply: positionOf(replies.indexOf(shown), replies, ({ id }) => endOf(questionsAfter(id)) ?? id),
    });
  }
  return versions;

  function questionsAfter(id: string | null): readonly Turn[] {
    return (children.get(id) ?? []).filter(({ isContinuation }) => !isContinuation);
  }

  /** Returns the last turns of the versions of a reply: the turn itself, or its continuations. */
  function replyEnds(turn: Turn): Turn[] {
    const continuations = (children.get(turn.id) ?? []).filter(({ isContinuation }) => isContinuation);
    const isEnd = continuations.length === 0 || turn.id === tree.shownId || questionsAfter(turn.id).length > 0;
    return [...(isEnd ? [turn] : []), ...continuations.flatMap(replyEnds)];
  }

  function endOf(turns: readonly Turn[]): string | null {
    const candidates = turns.map(({ id }) => ends.get(id)).filter((end) => end !== undefined);
    return candidates.sort((one, other) => other.order - one.order)[0]?.id ?? null;
  }
}

function positionOf<Version>(
  index: number,
  versions: readonly Version[],
  idOf: (version: Version) => string | null,
): TurnVersions['reply'] {
  const idAt = (position: number) => {
    const version = position < 0 ? undefined : versions[position];
    return version === undefined ? null : idOf(version);
  };
  return { number: index + 1, count: versions.length, previousId: idAt(index - 1), nextId: idAt(index + 1) };
}

function turnsByParent(turns: readonly Turn[]): ReadonlyMap<string | null, readonly Turn[]> {
  const groups = new Map<string | null, Turn[]>();
  for (const turn of turns) {
    const group = groups.get(turn.parentId);
    if (group) group.push(turn);
    else groups.set(turn.parentId, [turn]);
  }
  return groups;
}

/** The last turn of a path. Of several paths, the one with the greatest `order` is shown. */
type PathEnd = { id: string; order: number };

/**
 * Maps each turn id, and null as the parent of the first turns, to the end of the path to show: the most recently shown path, or
 * the latest if none was shown. Turns that another tab has added to a path belong to it.
 */
function pathEnds({ turns, shownId, earlierShownIds = [] }: ConversationTree): ReadonlyMap<string | null, PathEnd> {
  const recency = new Map<string | null, number>();
  for (const id of shownId === null ? earlierShownIds : [...earlierShownIds, shownId])
    recency.set(id, recency.size + 1);
  for (const { id, parentId } of turns) recency.set(id, recency.get(id) ?? recency.get(parentId) ?? 0);

  const ends = new Map<string | null, PathEnd>();
  for (const [index, { id, parentId }] of [...turns.entries()].reverse()) {
    const end = ends.get(id) ?? { id, order: (recency.get(id) ?? 0) * turns.length + index };
    ends.set(id, end);
    if (end.order > (ends.get(parentId)?.order ?? -1)) ends.set(parentId, end);
  }
  return ends;
}
