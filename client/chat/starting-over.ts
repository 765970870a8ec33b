import { shown } from './asking.ts';
import type { ConversationState } from './conversation-state.ts';
import { emptyTree } from './conversation-tree.ts';
import type { createConversationTurns } from './conversation-turns.ts';
import { nothingTyped, paragraphs } from './typed.ts';

type StartingOverParts = {
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  keep: { turns(): void };
  running: Pick<ReturnType<typeof createConversationTurns>, 'asking' | 'halt' | 'drop' | 'settle'>;
};

/** The ways to an empty conversation, and the way back: until a question is asked, the conversation before is only put away. */
export function createStartingOver({ getState, update, keep, running }: StartingOverParts) {
  /** What the last `startOver` put away. */
  let putAway: Pick<ConversationState, 'tree' | 'conversationId'> = { tree: emptyTree, conversationId: undefined };

  function forget(changes: Partial<ConversationState>): void {
    const nothing = { ...nothingTyped, ...shown(emptyTree), conversationId: undefined };
    running.drop({ ...nothing, isBusyElsewhere: false, setback: null, canUndoStartOver: false, ...changes });
  }

  return {
    startOver(): void {
      running.halt(() => ({ type: 'stopped' }));
      const { tree, conversationId, setAside, draft, canUndoStartOver } = getState();
      const isBegun = tree.turns.length > 0;
      if (isBegun) putAway = { tree, conversationId };
      forget({ draft: paragraphs(setAside ?? '', draft), canUndoStartOver: isBegun || canUndoStartOver });
    },

    undoStartOver(): void {
      if (!getState().canUndoStartOver || running.asking() !== undefined) return;
      const { tree, conversationId } = putAway;
      update({ ...shown(tree), conversationId, canUndoStartOver: false });
      keep.turns();
      running.settle();
    },

    clear: () => forget({}),
  };
}
