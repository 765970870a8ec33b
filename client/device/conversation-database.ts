import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import {
  type ConversationRow,
  inOrder,
  readConversationRow,
  readTurnRow,
  type TurnKey,
  type TurnRow,
} from './conversation-records.ts';

/** The values are `unknown`: what lies on a device need not be what was put there. */
interface Schema extends DBSchema {
  conversations: { key: string; value: unknown };
  turns: { key: [conversation: string, turn: string]; value: unknown };
  damaged: { key: number; value: unknown };
}

/** What is to be written at once. The removals come first. */
export type Changes = {
  removedConversations: readonly string[];
  removedTurns: readonly TurnKey[];
  conversations: readonly ConversationRow[];
  turns: readonly TurnRow[];
};

/** A few turns, in the order of their keys. */
export type TurnBatch = {
  /** Those that can be read. */
  rows: readonly TurnRow[];
  /** The key to go on after; undefined where there are no more. */
  last: TurnKey | undefined;
};

export type ConversationDatabase = Awaited<ReturnType<typeof openConversationDatabase>>;

export const noChanges: Changes = { removedConversations: [], removedTurns: [], conversations: [], turns: [] };

const schemaVersion = 1;

/**
 * Opens the database `name` of the conversations of one person, and makes it where there is none. Rejects where the browser denies
 * databases. A record that cannot be read is skipped and left where it is. Every function rejects where the database is out of order.
 */
export async function openConversationDatabase(name: string) {
  let open: IDBPDatabase<Schema> | undefined;

  async function reopened(): Promise<IDBPDatabase<Schema>> {
    open = await openDB<Schema>(name, schemaVersion, {
      upgrade(database) {
        database.createObjectStore('conversations', { keyPath: 'id' });
        database.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
        // Release 1.1.0 has put damaged records there. It cannot use a database of this version without it.
        database.createObjectStore('damaged', { autoIncrement: true });
      },
      // A newer release, or a sign-out in another tab, waits for this.
      blocking: close,
      terminated: () => {
        open = undefined;
      },
    });
    return open;
  }

  function close(): void {
    open?.close();
    open = undefined;
  }

  /** Makes these requests, and waits until they are stored. */
  async function change(
    stores: ('conversations' | 'turns' | 'damaged')[],
    request: (transaction: Transaction) => void,
  ) {
    // Without a wait where the database is open: what is written when the page is left is handed over at once.
    const transaction = (open ?? (await reopened())).transaction(stores, 'readwrite');
    try {
      request(transaction);
      // The page may be gone before the browser would notice that nothing more comes.
      transaction.commit();
    } catch (error) {
      transaction.done.catch(() => {});
      transaction.abort();
      throw error;
    }
    await transaction.done;
  }

  await reopened();

  return {
    /** All conversations, in no order. */
    async readConversations() {
      const values = await (open ?? (await reopened())).getAll('conversations');
      return values.map(readConversationRow).filter((row) => row !== undefined);
    },

    readConversation: async (id: string) =>
      readConversationRow(await (open ?? (await reopened())).get('conversations', id)),

    /** The turns of a conversation, in order of creation. */
    async readTurns(conversation: string) {
      const values = await (open ?? (await reopened())).getAll('turns', turnsOf(conversation));
      return inOrder(values.map(readTurnRow).filter((row) => row !== undefined));
    },

    /** At most `count` turns of all conversations after the one with the key `after`. */
    async readTurnsAfter(after: TurnKey | undefined, count: number): Promise<TurnBatch> {
      const { store } = (open ?? (await reopened())).transaction('turns');
      const range = after && IDBKeyRange.lowerBound(after, true);
      const [keys, values] = await Promise.all([store.getAllKeys(range, count), store.getAll(range, count)]);
      const rows = values.map(readTurnRow).filter((row) => row !== undefined);
      return { rows, last: keys.length < count ? undefined : keys.at(-1) };
    },

    /**
     * Writes all the changes or none of them. They are on their way when this returns: the page may be gone the next moment.
     * Rejects with an error named `QuotaExceededError` where there is no room.
     */
    write: (changes: Changes) => change(['conversations', 'turns'], (transaction) => put(transaction, changes)),

    /** Removes everything. */
    clear: () =>
      change(['conversations', 'turns', 'damaged'], (transaction) => {
        for (const name of transaction.objectStoreNames) ended(transaction.objectStore(name).clear());
      }),

    /** Ends the use of the database. */
    close,
  };
}

/** Whether a write failed because there is no room. */
export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

type Transaction = IDBPTransaction<Schema, ('conversations' | 'turns' | 'damaged')[], 'readwrite'>;

function put(transaction: Transaction, changes: Changes): void {
  const conversations = transaction.objectStore('conversations');
  const turns = transaction.objectStore('turns');
  for (const id of changes.removedConversations) {
    ended(conversations.delete(id));
    ended(turns.delete(turnsOf(id)));
  }
  for (const [conversation, id] of changes.removedTurns) ended(turns.delete([conversation, id]));
  for (const row of changes.conversations) ended(conversations.put(row));
  for (const row of changes.turns) ended(turns.put(row));
}

/** Of a request that fails the transaction tells. */
function ended(request: Promise<unknown>): void {
  request.catch(() => {});
}

/** The keys of all turns of a conversation: a list sorts after every text. */
function turnsOf(conversation: string): IDBKeyRange {
  return IDBKeyRange.bound([conversation], [conversation, []]);
}
