import fc from 'fast-check';
import { type ConversationTree, withTurn } from '../../../client/chat/conversation-tree.ts';
import { turn } from './turns.ts';

export const emptyTree: ConversationTree = { turns: [], shownId: null, earlierShownIds: [] };

/** An arbitrary tree: each turn has any earlier turn or none as its parent, and one of three questions. */
export const anyTree = fc
  .array(fc.record({ parent: fc.nat(), question: fc.constantFrom('A?', 'B?', 'C?') }), { maxLength: 12 })
  .chain((steps) => {
    const tree = steps.reduce<ConversationTree>((partial, { parent, question }, index) => {
      const at = parent % (partial.turns.length + 1);
      const parentId = partial.turns[at]?.id ?? null;
      return withTurn(partial, turn(question, '.', { id: `turn-${index}`, parentId }));
    }, emptyTree);
    const shown = fc.nat({ max: Math.max(tree.turns.length - 1, 0) });
    return shown.map((index) => ({ ...tree, shownId: tree.turns[index]?.id ?? null }));
  });
