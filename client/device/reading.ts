import type { Clock } from '../chat/clock.ts';
import type { Transcript } from '../chat/transcript.ts';
import type { ConversationRows } from './conversation-rows.ts';
import type { ConversationStore, StoreChanges } from './conversation-store.ts';
import type { KeptTyped } from './kept-typed.ts';
import { createMissedChanges } from './missed-changes.ts';
import type { OpenTranscripts } from './open-transcripts.ts';
import { readConversations, readTurns } from './read-conversations.ts';

type ReadingParts = {
  store: Promise<ConversationStore>;
  rows: ConversationRows;
  transcripts: OpenTranscripts;
  typed: KeptTyped;
  clock: Clock;
  /** What the store does not have yet. */
  unwritten: () => readonly StoreChanges[];
  /** Told when something damaged was put aside. */
  onPutAside: () => void;
};

/** Brings into memory what the store has. What changes meanwhile, and what is not written yet, is later than that. */
export function createReading({ store, rows, transcripts, typed, clock, unwritten, onPutAside }: ReadingParts) {
  const missed = createMissedChanges();

  async function turnsOf(id: string) {
    const opened = await store;
    return missed.during(() => readTurns(opened, id, onPutAside).catch(() => undefined));
  }

  return {
    /** Has to hear of every change, made here or elsewhere. */
    hear: missed.add,

    /** Reads all conversations without their turns. Where the store is out of order everything stays as it was. */
    async rows(): Promise<void> {
      const opened = await store;
      const before = unwritten();
      const { kept, since } = await missed.during(() =>
        readConversations(opened, typed, clock.now()).catch(() => undefined),
      );
      if (kept === undefined) return;
      rows.reset(kept);
      for (const changes of [...before, ...since]) rows.takeIn(changes);
    },

    /** Reads the turns of a conversation. */
    async transcript(id: string): Promise<Transcript> {
      const { kept = [], since } = await turnsOf(id);
      const transcript = transcripts.get(id) ?? transcripts.create(id, kept);
      for (const changes of since) transcripts.takeIn(changes);
      return transcript;
    },

    /** Reads anew the turns of a conversation whose transcript is in hand. */
    async anew(id: string): Promise<void> {
      const { kept, since } = await turnsOf(id);
      if (kept === undefined) return;
      transcripts.replace(id, kept);
      for (const changes of [...unwritten(), ...since]) transcripts.takeIn(changes);
    },
  };
}
