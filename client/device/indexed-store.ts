import { type DBSchema, deleteDB, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import type { ConversationStore, DamagedText, KeptValue, StoreChanges } from './conversation-store.ts';
import { isLaterConversation, isMoreCompleteTurn } from './more-complete.ts';

/** The values are `unknown`: what lies on a device need not be what was put there. */
interface Schema extends DBSchema {
  conversations: { key: string; value: unknown };
  turns: { key: [conversation: string, turn: string]; value: unknown };
  damaged: { key: number; value: DamagedText };
}

type Transaction = IDBPTransaction<Schema, ('conversations' | 'turns' | 'damaged')[], 'readwrite'>;

const schemaVersion = 1;

/** Opens the database `name`, and makes it where there is none. Rejects where the browser denies databases. */
export async function openIndexedStore(name: string): Promise<ConversationStore> {
  let opened: Promise<IDBPDatabase<Schema>> | undefined;

  /** The database is opened again where another tab or the browser itself has closed it. */
  function database(): Promise<IDBPDatabase<Schema>> {
    opened ??= openDB<Schema>(name, schemaVersion, {
      upgrade(database, oldVersion) {
        if (oldVersion < 1) {
          database.createObjectStore('conversations', { keyPath: 'id' });
          database.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
          database.createObjectStore('damaged', { autoIncrement: true });
        }
      },
      // A newer release, or a sign-out in another tab, waits for this.
      blocking: close,
      terminated: () => {
        opened = undefined;
      },
    });
    return opened;
  }

  function close(): void {
    opened?.then((database) => database.close()).catch(() => {});
    opened = undefined;
  }

  async function change(work: (transaction: Transaction) => Promise<unknown>): Promise<void> {
    const transaction = (await database()).transaction(['conversations', 'turns', 'damaged'], 'readwrite');
    try {
      await Promise.all([work(transaction), transaction.done]);
    } catch (error) {
      callOff(transaction);
      // The request that fails first need not be the one that says why.
      throw transaction.error ?? error;
    }
  }

  await database();

  return {
    isLasting: true,

    async readConversations() {
      const { store } = (await database()).transaction('conversations');
      return paired(await Promise.all([store.getAllKeys(), store.getAll()]));
    },

    async readTurns(conversation) {
      const { store } = (await database()).transaction('turns');
      const range = turnsOf(conversation);
      return paired(await Promise.all([store.getAllKeys(range), store.getAll(range)]));
    },

    async readTurnsAfter(after, count) {
      const { store } = (await database()).transaction('turns');
      const range = after && IDBKeyRange.lowerBound(after, true);
      return paired(await Promise.all([store.getAllKeys(range, count), store.getAll(range, count)]));
    },

    write: (changes) =>
      change(async (transaction) => {
        const puts = put(transaction, changes);
        // The page may be gone before the browser would notice that nothing more comes.
        transaction.commit();
        await Promise.all(puts);
      }),

    fold: ({ conversations, turns }, damaged = []) =>
      change(async (transaction) => {
        const keptConversations = transaction.objectStore('conversations');
        const keptTurns = transaction.objectStore('turns');
        const known = await Promise.all([
          Promise.all(conversations.map(({ id }) => keptConversations.get(id))),
          Promise.all(turns.map(({ conversation, id }) => keptTurns.get([conversation, id]))),
        ]);
        await Promise.all([
          ...conversations
            .filter((row, index) => isLaterConversation(known[0][index], row))
            .map((row) => keptConversations.put(row)),
          ...turns.filter((row, index) => isMoreCompleteTurn(known[1][index], row)).map((row) => keptTurns.put(row)),
          ...damaged.map((text) => transaction.objectStore('damaged').add(text)),
        ]);
      }),

    readDamaged: async () => (await database()).getAll('damaged'),

    clear: () =>
      change((transaction) =>
        Promise.all([
          transaction.objectStore('conversations').clear(),
          transaction.objectStore('turns').clear(),
          transaction.objectStore('damaged').clear(),
        ]),
      ),

    close,
  };
}

/** Removes the database `name` as soon as every tab has closed it. */
export function deleteIndexedStore(name: string): Promise<void> {
  return deleteDB(name);
}

function put(transaction: Transaction, changes: StoreChanges): Promise<unknown>[] {
  const conversations = transaction.objectStore('conversations');
  const turns = transaction.objectStore('turns');
  return [
    ...changes.removedConversations.flatMap((id) => [conversations.delete(id), turns.delete(turnsOf(id))]),
    ...changes.removedTurns.map(([conversation, id]) => turns.delete([conversation, id])),
    ...changes.conversations.map((row) => conversations.put(row)),
    ...changes.turns.map((row) => turns.put(row)),
  ];
}

function callOff(transaction: Transaction): void {
  transaction.done.catch(() => {});
  try {
    transaction.abort();
  } catch {
    // It is over already.
  }
}

/** The keys of all turns of a conversation: a list sorts after every text. */
function turnsOf(conversation: string): IDBKeyRange {
  return IDBKeyRange.bound([conversation], [conversation, []]);
}

function paired<Key>([keys, values]: readonly [readonly Key[], readonly unknown[]]): KeptValue<Key>[] {
  return keys.map((key, index) => ({ key, value: values[index] }));
}
