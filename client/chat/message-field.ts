import type { ConversationState } from './conversation-state.ts';

type MessageFieldParts = {
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  keep: { typed(): void; typedSoon(): void };
};

/** What can be done in the message field of a conversation short of sending what it holds. */
export function createMessageField({ getState, update, keep }: MessageFieldParts) {
  return {
    setDraft(draft: string): void {
      update({ draft, isBusyElsewhere: false, wasRefused: getState().wasRefused && draft !== '' });
      keep.typedSoon();
    },

    /**
     * Brings the question of the shown turn `turnId`, or the last one, into the field, to be sent as another version. The draft
     * is put aside. While one is being edited already, or a turn runs, nothing happens.
     */
    edit(turnId?: string): void {
      const { turns, draft, setAside, phase } = getState();
      const edited = turnId === undefined ? turns.at(-1) : turns.find(({ id }) => id === turnId);
      if (edited === undefined || setAside !== null || phase.name !== 'idle') return;
      update({ draft: edited.question, setAside: draft, editedId: edited.id, wasRefused: false });
      keep.typed();
    },

    /** Leaves the question as it is; the draft is back. */
    cancelEdit(): void {
      const { setAside } = getState();
      if (setAside === null) return;
      update({ draft: setAside, setAside: null, editedId: null, wasRefused: false, setback: null });
      keep.typed();
    },
  };
}
