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

    /** Brings the last question back into the field, to be sent in its own place. The draft is put aside. */
    edit(): void {
      const { turns, draft, setAside, phase } = getState();
      const last = turns.at(-1);
      if (last === undefined || setAside !== null || phase.name !== 'idle') return;
      update({ draft: last.question, setAside: draft, wasRefused: false });
      keep.typed();
    },

    /** Leaves the last question as it is; the draft is back. */
    cancelEdit(): void {
      const { setAside } = getState();
      if (setAside === null) return;
      update({ draft: setAside, setAside: null, wasRefused: false, setback: null });
      keep.typed();
    },
  };
}
