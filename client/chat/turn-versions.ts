import { type ConversationTree, shownPath } from './conversation-tree.ts';
import type { Turn } from './turn.ts';

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
