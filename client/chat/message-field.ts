import type { ConversationState } from './conversation-state.ts';

type MessageFieldParts = {
  getState: () => ConversationState;
  update: (changes: Partial<ConversationState>) => void;
  keep: { typed(): void; typedSoon(): void };
};

/** What can be done in the message field of a conversation short of sending what it holds. */
export function createMessageField({ getState, update, keep }: MessageFieldParts) {
  /** The last rewording that was left unsent, and of which question. */
  let left: { turnId: string; draft: string } | undefined;

  return {
    setDraft(draft: string): void {
      update({ draft, isBusyElsewhere: false, wasRefused: getState().wasRefused && draft !== '' });
      keep.typedSoon();
    },

    /**
     * Brings the question of the shown turn `turnId`, or the last one, into the field, to be sent as another version: as the
     * person has left it reworded, if they have. The draft is put aside. While one is being edited already, or a turn runs,
     * nothing happens.
     */
    edit(turnId?: string): void {
      const { turns, draft, setAside, phase } = getState();
      const edited = turnId === undefined ? turns.at(-1) : turns.find(({ id }) => id === turnId);
      if (edited === undefined || setAside !== null || phase.name !== 'idle') return;
      const question = left?.turnId === edited.id ? left.draft : edited.question;
      left = undefined;
      update({ draft: question, setAside: draft, editedId: edited.id, wasRefused: false });
      keep.typed();
    },

    /** Leaves the question as it is; the draft is back. Another edit of the question begins with what was typed. */
    cancelEdit(): void {
      const { setAside, editedId, draft } = getState();
      if (setAside === null) return;
      left = editedId === null || draft.trim() === '' ? undefined : { turnId: editedId, draft };
      update({ draft: setAside, setAside: null, editedId: null, wasRefused: false, setback: null });
      keep.typed();
    },
  };
}
