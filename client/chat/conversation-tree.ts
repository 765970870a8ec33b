import type { Turn } from './turn.ts';

/** All turns of a conversation, and which of their paths is shown. */
export type ConversationTree = {
  /** In order of creation: a turn comes after the one that it follows. */
  turns: readonly Turn[];
  /** The last turn of the path that is shown; null where there is no turn. */
  shownId: string | null;
};

export const emptyTree: ConversationTree = { turns: [], shownId: null };

/**
 * The tree of the stored turns. A turn whose parent does not come before it becomes a first turn. If two turns have one id, the
 * earlier one stays. If `shownId` is not among them, the tree shows the latest turn.
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

/** The turn `id`, if there is one. */
export function turnOf({ turns }: ConversationTree, id: string | null): Turn | undefined {
  return turns.find((turn) => turn.id === id);
}

/** The turns that are shown, first to last. */
export function shownPath(tree: ConversationTree): readonly Turn[] {
  return pathTo(tree, tree.shownId);
}

/** The turns from a first one to the turn `id`. */
export function pathTo({ turns }: ConversationTree, id: string | null): readonly Turn[] {
  const path: Turn[] = [];
  let soughtId = id;
  for (const turn of turns.toReversed()) {
    if (turn.id !== soughtId) continue;
    path.push(turn);
    soughtId = turn.parentId;
  }
  return path.reverse();
}

/** Shows `turn`: a new one, or the one with its id as it is now. */
export function withTurn({ turns }: ConversationTree, turn: Turn): ConversationTree {
  const index = turns.findLastIndex(({ id }) => id === turn.id);
  return { turns: index === -1 ? [...turns, turn] : turns.with(index, turn), shownId: turn.id };
}

/** Takes away a turn that nothing follows. Where it was shown, the latest other version is, or else the turn before it. */
export function withoutTurn(tree: ConversationTree, id: string): ConversationTree {
  const turns = tree.turns.filter((turn) => turn.id !== id);
  if (tree.shownId !== id) return { turns, shownId: tree.shownId };
  const parentId = turnOf(tree, id)?.parentId ?? null;
  const version = turns.findLast((turn) => turn.parentId === parentId);
  const rest = { turns, shownId: parentId };
  return version ? showing(rest, version.id) : rest;
}

/** Shows the path through the turn `id`, which goes on to the latest turn below it. */
export function showing({ turns }: ConversationTree, id: string): ConversationTree {
  const below = new Set([id]);
  let shownId = id;
  for (const turn of turns) {
    if (turn.parentId === null || !below.has(turn.parentId)) continue;
    below.add(turn.id);
    shownId = turn.id;
  }
  return { turns, shownId };
}

/** Which version is shown, counted from 1, and the turns to show for the ones beside it: null at either end. */
export type VersionPlace = { number: number; count: number; previousId: string | null; nextId: string | null };

/** The versions of a shown question, and those of its reply. */
export type TurnVersions = { question: VersionPlace; reply: VersionPlace };

/**
 * The versions of each shown turn that has any beside it, by the turn's id. The turn to show for a version is the latest one
 * below it.
 */
export function versionsShown(tree: ConversationTree): ReadonlyMap<string, TurnVersions> {
  const siblingsOf = turnsByParent(tree.turns);
  const latestBelow = latestBelowEach(tree.turns);
  const shown = new Map<string, TurnVersions>();
  for (const turn of shownPath(tree)) {
    const siblings = siblingsOf.get(turn.parentId) ?? [];
    if (siblings.length < 2) continue;
    const questions = [...new Set(siblings.map(({ question }) => question))];
    const replies = siblings.filter(({ question }) => question === turn.question);
    shown.set(turn.id, {
      question: placeOf(questions.indexOf(turn.question), questions, (question) =>
        latest(siblings.filter((sibling) => sibling.question === question)),
      ),
      reply: placeOf(replies.indexOf(turn), replies, (reply) => latest([reply])),
    });
  }
  return shown;

  /** The latest turn below any of `turns`, or of them. */
  function latest(turns: readonly Turn[]): string | null {
    const indices = turns.map(({ id }) => latestBelow.get(id) ?? 0);
    return tree.turns[Math.max(...indices)]?.id ?? null;
  }
}

function placeOf<Version>(
  index: number,
  versions: readonly Version[],
  idOf: (version: Version) => string | null,
): VersionPlace {
  const idAt = (at: number) => {
    const version = at < 0 ? undefined : versions[at];
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

/** For each turn the index of the latest one below it, which is itself where nothing follows it. */
function latestBelowEach(turns: readonly Turn[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const [index, { id, parentId }] of [...turns.entries()].reverse()) {
    const own = Math.max(latest.get(id) ?? index, index);
    latest.set(id, own);
    if (parentId !== null) latest.set(parentId, Math.max(latest.get(parentId) ?? 0, own));
  }
  return latest;
}
