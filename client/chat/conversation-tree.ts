import type { Turn } from './turn.ts';

/** All turns of a conversation, with the path that is shown. */
export type ConversationTree = {
  /** The turns in order of creation, so a parent comes before its children. */
  turns: readonly Turn[];
  /** The last turn of the path that is shown; null if there is no turn. */
  shownId: string | null;
};

export const emptyTree: ConversationTree = { turns: [], shownId: null };

/**
 * Returns the tree of the stored turns. A turn whose parent does not come before it becomes a first turn. If two turns share an id,
 * the earlier one stays. An unknown `shownId` is replaced by the latest turn.
 */
export function treeOf(stored: readonly Turn[], shownId: string | null): ConversationTree {
  const ids = new Set<string>();
  const turns: Turn[] = [];
  for (const turn of stored) {
    if (ids.has(turn.id)) continue;
    turns.push(turn.parentId === null || ids.has(turn.parentId) ? turn : { ...turn, parentId: null });
    ids.add(turn.id);
  }
  return { turns, shownId: shownId !== null && ids.has(shownId) ? shownId : (turns.at(-1)?.id ?? null) };
}

export function findTurn({ turns }: ConversationTree, id: string | null): Turn | undefined {
  return turns.find((turn) => turn.id === id);
}

export function shownPath(tree: ConversationTree): readonly Turn[] {
  return pathTo(tree, tree.shownId);
}

/** Returns the turns from the root to the turn `id`. */
export function pathTo({ turns }: ConversationTree, id: string | null): readonly Turn[] {
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
export function withTurn({ turns }: ConversationTree, turn: Turn): ConversationTree {
  const index = turns.findLastIndex(({ id }) => id === turn.id);
  return { turns: index === -1 ? [...turns, turn] : turns.with(index, turn), shownId: turn.id };
}

/** Removes a turn without children. If it was shown, its latest other version or else its parent is shown. */
export function withoutTurn(tree: ConversationTree, id: string): ConversationTree {
  const turns = tree.turns.filter((turn) => turn.id !== id);
  if (tree.shownId !== id) return { turns, shownId: tree.shownId };
  const parentId = findTurn(tree, id)?.parentId ?? null;
  const version = turns.findLast((turn) => turn.parentId === parentId);
  const remaining = { turns, shownId: parentId };
  return version ? withShownTurn(remaining, version.id) : remaining;
}

/** Shows the path through the turn `id` to its latest descendant. */
export function withShownTurn({ turns }: ConversationTree, id: string): ConversationTree {
  const descendants = new Set([id]);
  let shownId = id;
  for (const turn of turns) {
    if (turn.parentId === null || !descendants.has(turn.parentId)) continue;
    descendants.add(turn.id);
    shownId = turn.id;
  }
  return { turns, shownId };
}

/**
 * For the question and the reply of a turn, the number of the shown version, from 1, and the turns to show for the previous and next
 * ones; null at either end.
 */
export type TurnVersions = Record<
  'question' | 'reply',
  { number: number; count: number; previousId: string | null; nextId: string | null }
>;

/** By turn id, for each shown turn with several versions. The turn to show for a version is its latest descendant. */
export function versionsShown(tree: ConversationTree): ReadonlyMap<string, TurnVersions> {
  const siblingsOf = turnsByParent(tree.turns);
  const latestIndices = latestDescendants(tree.turns);
  const versions = new Map<string, TurnVersions>();
  for (const turn of shownPath(tree)) {
    const siblings = siblingsOf.get(turn.parentId) ?? [];
    if (siblings.length < 2) continue;
    const questions = [...new Set(siblings.map(({ question }) => question))];
    const replies = siblings.filter(({ question }) => question === turn.question);
    versions.set(turn.id, {
      question: positionOf(questions.indexOf(turn.question), questions, (question) =>
        latest(siblings.filter((sibling) => sibling.question === question)),
      ),
      reply: positionOf(replies.indexOf(turn), replies, (reply) => latest([reply])),
    });
  }
  return versions;

  /** Returns the latest one of `turns` and their descendants. */
  function latest(turns: readonly Turn[]): string | null {
    const indices = turns.map(({ id }) => latestIndices.get(id) ?? 0);
    return tree.turns[Math.max(...indices)]?.id ?? null;
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

/** Maps each turn to the index of its latest descendant, or to its own index if it has none. */
function latestDescendants(turns: readonly Turn[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const [index, { id, parentId }] of [...turns.entries()].reverse()) {
    const own = Math.max(latest.get(id) ?? index, index);
    latest.set(id, own);
    if (parentId !== null) latest.set(parentId, Math.max(latest.get(parentId) ?? 0, own));
  }
  return latest;
}
