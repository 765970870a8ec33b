import type { Clock } from './clock.ts';
import { type ConversationEntry, readIndex, titleOf } from './conversation-index.ts';
import { createStore } from './store.ts';
import { createTranscript, type Transcript, type TranscriptStorage, typedKeyOf } from './transcript.ts';

export type ConversationListState = {
  /** The latest first. */
  entries: readonly ConversationEntry[];
  /** Whether the device ran out of room, so that the oldest conversations had to give some up. */
  isCrowded: boolean;
};

export type ConversationList = ReturnType<typeof createConversationList>;

/**
 * The conversations that the device keeps of one person, under keys that begin with `prefix`: an index, and a transcript
 * for each. Where the storage is full, the oldest conversations give up their oldest turns for the others.
 */
export function createConversationList(storage: TranscriptStorage, prefix: string, clock: Clock) {
  const indexKey = `${prefix}:index`;
  const keyOf = (id: string) => `${prefix}:conversation:${id}`;
  // Always from the storage: another tab may have written it since.
  const read = () => readIndex(storage.getItem(indexKey));
  const { getState, subscribe, update } = createStore<ConversationListState>({ entries: read(), isCrowded: false });

  const roomyStorage: TranscriptStorage = {
    getItem: (key) => storage.getItem(key),
    removeItem: (key) => storage.removeItem(key),
    setItem(key, value) {
      while (!fits(key, value)) {
        if (!makeRoom(key)) throw new Error('The device has no room for this.');
      }
    },
  };

  function fits(key: string, value: string): boolean {
    try {
      storage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  }

  /** Takes the older half of the oldest conversation but the one under `key`. Returns false where there is no other. */
  function makeRoom(key: string): boolean {
    const oldest = read().findLast(({ id }) => !key.startsWith(keyOf(id)));
    if (oldest === undefined) return false;
    const { conversationId, turns, shownId } = createTranscript(storage, keyOf(oldest.id)).load();
    const kept = turns.slice(Math.ceil(turns.length / 2));
    const record = JSON.stringify({ conversationId, turns: kept, shownId, isShortened: true });
    if (kept.length === 0 || !fits(keyOf(oldest.id), record)) remove(oldest.id);
    update({ isCrowded: true });
    return true;
  }

  function changeIndex(change: (entries: ConversationEntry[]) => ConversationEntry[]): void {
    let entries: ConversationEntry[];
    do {
      entries = change(read()).sort((one, other) => other.lastActiveAt - one.lastActiveAt);
    } while (!fits(indexKey, JSON.stringify(entries)) && makeRoom(indexKey));
    update({ entries });
  }

  function enter(entry: ConversationEntry): void {
    changeIndex((entries) => [...entries.filter(({ id }) => id !== entry.id), entry]);
  }

  function remove(id: string): void {
    storage.removeItem(keyOf(id));
    storage.removeItem(typedKeyOf(keyOf(id)));
    if (read().some((entry) => entry.id === id)) changeIndex((entries) => entries.filter((entry) => entry.id !== id));
  }

  return {
    getState,
    subscribe,
    keyOf,
    indexKey,
    remove,

    /** Keeps the conversation `id`, which is in the list for as long as there is anything in it. */
    transcript(id: string): Transcript {
      const transcript = createTranscript(roomyStorage, keyOf(id));
      let hasTurns = false;
      return {
        load() {
          const loaded = transcript.load();
          hasTurns = loaded.turns.length > 0;
          return loaded;
        },

        saveTurns(record) {
          const isWhole = transcript.saveTurns(record);
          const [first, second] = record.turns;
          hasTurns = first !== undefined;
          if (first === undefined) return isWhole;
          const entry = read().find((known) => known.id === id);
          // Only the first turn makes the title: a shortened transcript begins with another.
          const title = entry && second ? entry.title : titleOf(first.question);
          enter({ ...entry, id, title, lastActiveAt: clock.now() });
          return isWhole;
        },

        saveTyped(typed) {
          transcript.saveTyped(typed);
          if (hasTurns) return;
          const title = titleOf(typed.draft);
          const entry = read().find((known) => known.id === id);
          if (title === '') remove(id);
          else if (title !== entry?.title) enter({ ...entry, id, title, lastActiveAt: clock.now() });
        },
      };
    },

    /** Gives a conversation a name; a blank one takes the name away. */
    rename(id: string, name: string): void {
      changeIndex((entries) => entries.map((entry) => (entry.id === id ? { ...entry, name: titleOf(name) } : entry)));
    },

    /** The conversations in whose name, title or text `words` occur, whatever their case. */
    search(words: string): ConversationEntry[] {
      const sought = words.trim().toLowerCase();
      const occurs = (text: string) => text.toLowerCase().includes(sought);
      return getState().entries.filter(({ id, title, name = '' }) => {
        if (occurs(title) || occurs(name)) return true;
        const { turns } = createTranscript(storage, keyOf(id)).load();
        return turns.some(({ question, reply }) => occurs(question) || occurs(reply));
      });
    },

    /** Takes in what another tab has done. */
    takeIn: () => update({ entries: read() }),
  };
}
