import { type ConversationTree, pathTo, shownPath, versionsShown } from '../chat/conversation-tree.ts';

/** The turns that follow another version of the last shown turn, on the path that this version last showed. */
export type LaterTurns = {
  count: number;
  version: number;
  /** The last turn of that path. */
  turnId: string;
};

/** Returns null if no other version that was shown has later turns. Continuations do not count: they belong to a turn. */
export function laterTurnsOf(tree: ConversationTree): LaterTurns | null {
  const last = shownPath(tree).findLast(({ isContinuation }) => !isContinuation);
  if (last === undefined) return null;
  for (const turnId of (tree.earlierShownIds ?? []).toReversed()) {
    const questions = pathTo(tree, turnId).filter(({ isContinuation }) => !isContinuation);
    const index = questions.findIndex(({ parentId }) => parentId === last.parentId);
    const other = questions[index];
    const count = questions.length - 1 - index;
    if (other === undefined || count === 0) continue;
    const versions = versionsShown({ ...tree, shownId: turnId }).get(other.id);
    const version = versions?.[other.question === last.question ? 'reply' : 'question'].number ?? 1;
    return { count, version, turnId };
  }
  return null;
}
