import type { ConversationStore } from './conversation-store.ts';
import type { Journal } from './journal.ts';

type TakeOverParts = {
  journal: Journal;
  /** Lets one tab at a time do what it is given. */
  exclusively: (action: () => Promise<void>) => Promise<void>;
  /** Moves what earlier releases have kept into the store, entry by entry. */
  adopt?: ((store: ConversationStore) => Promise<void>) | undefined;
};

/** Brings into the store what earlier releases and earlier pages have left. Never rejects. */
export async function takeOver(
  store: ConversationStore,
  { journal, exclusively, adopt }: TakeOverParts,
): Promise<void> {
  if (adopt === undefined && journal.left().length === 0) return;
  try {
    await exclusively(async () => {
      await adopt?.(store);
      for (const { key, changes } of journal.left()) {
        await store.fold(changes);
        journal.forget(key);
      }
    });
  } catch {
    // There is no room, say: what is left stays where it is for the next start.
  }
}
