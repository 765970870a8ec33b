import { shown } from './asking.ts';
import type { ConversationState } from './conversation-state.ts';
import { emptyTree, treeOf } from './conversation-tree.ts';
import type { createConversationTurns } from './conversation-turns.ts';
import type { KeptPutAway } from './kept-put-away.ts';
import { nothingTyped, paragraphs } from './typed.ts';

type StartingOverParts = {
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  keep: { turns(): void };
  putAway: KeptPutAway;
  running: Pick<ReturnType<typeof createConversationTurns>, 'asking' | 'halt' | 'drop' | 'settle'>;
};

/** The ways to an empty conversation, and the way back: until a question is asked, the conversation before is only put away. */
export function createStartingOver({ getState, update, keep, putAway, running }: StartingOverParts) {
  function empty(changes: Partial<ConversationState>): void {
    const nothing = { ...nothingTyped, ...shown(emptyTree), conversationId: undefined };
    running.drop({ ...nothing, isBusyElsewhere: false, setback: null, canUndoStartOver: false, ...changes });
  }

  return {
    startOver(): void {
      running.halt(() => ({ type: 'stopped' }));
      const { tree, conversationId, setAside, draft, canUndoStartOver } = getState();
      const isBegun = tree.turns.length > 0;
      if (isBegun) putAway.save({ conversationId, ...tree });
      empty({ draft: paragraphs(setAside ?? '', draft), canUndoStartOver: isBegun || canUndoStartOver });
    },

    undoStartOver(): void {
      if (!getState().canUndoStartOver || running.asking() !== undefined) return;
      const record = putAway.load();
      if (record === undefined) {
        // Another tab has forgotten it.
        update({ canUndoStartOver: false });
        return;
      }
      const { conversationId, turns, shownId } = record;
      update({ ...shown(treeOf(turns, shownId)), conversationId, canUndoStartOver: false });
      keep.turns();
      putAway.forget();
      running.settle();
    },

    clear(): void {
      putAway.forget();
      empty({});
    },
  };
}
