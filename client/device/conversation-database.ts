import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import { createListeners } from '../store.ts';
import {
  type ConversationRow,
  readConversationRow,
  readTurnRow,
  sortRows,
  type TurnKey,
  type TurnRow,
} from './conversation-records.ts';

/** The values are `unknown` because stored data may be damaged or written by another release. */
interface Schema extends DBSchema {
  conversations: { key: string; value: unknown };
  turns: { key: [conversation: string, turn: string]; value: unknown };
}

/** One atomic write. Removals are applied first. */
export type Changes = {
  removedConversations: readonly string[];
  removedTurns: readonly TurnKey[];
  conversations: readonly ConversationRow[];
  turns: readonly TurnRow[];
};

export type TurnBatch = {
  rows: readonly TurnRow[];
  /** The cursor for the next batch; undefined after the last one. */
  cursor: TurnKey | undefined;
};

export type ConversationDatabase = Awaited<ReturnType<typeof openConversationDatabase>>;

export const noChanges: Changes = { removedConversations: [], removedTurns: [], conversations: [], turns: [] };

const schemaVersion = 1;

const storeNames: ('conversations' | 'turns')[] = ['conversations', 'turns'];

/**
 * Opens or creates the IndexedDB database `name`, which holds one user's conversations. Rejects if the browser denies IndexedDB.
 * An invalid record is skipped and left in place. Reads and writes reject if the database fails.
 */
export async function openConversationDatabase(name: string) {
  let open: IDBPDatabase<Schema> | undefined;
  let opening: Promise<IDBPDatabase<Schema>> | undefined;
  /** Whether a sign-out in another tab has deleted the database. */
  let isDeletedByPage = false;
  const emptied = createListeners<[]>();

  /** Concurrent callers share one connection: a second one could not be closed, and would block a deletion. */
  function reopen(): Promise<IDBPDatabase<Schema>> {
    opening ??= connect().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function connect(): Promise<IDBPDatabase<Schema>> {
    let isCreated = false;
    open = await openDB<Schema>(name, schemaVersion, {
      upgrade(database) {
        isCreated = true;
        database.createObjectStore('conversations', { keyPath: 'id' });
        database.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
      },
      // A newer release, or a sign-out in another tab, cannot proceed until this connection is closed.
      blocking(_version, nextVersion) {
        isDeletedByPage ||= nextVersion === null;
        close();
      },
      terminated() {
        open = undefined;
        // The browser may have deleted the database. If it cannot be opened, the next write reports that.
        reopen().catch(() => {});
      },
    });
    if (isCreated && !isDeletedByPage) emptied.notify();
    return open;
  }

  /** Safari loses connections without closing them, so a request that has failed is repeated once on a new one, unless storage is full. */
  async function run<Result>(request: (database: IDBPDatabase<Schema>) => Promise<Result>): Promise<Result> {
    // No `await` if the database is open: a write in `pagehide` must reach the browser synchronously.
    const known = open;
    if (known === undefined) return request(await reopen());
    try {
      return await request(known);
    } catch (error) {
      if (isQuotaExceeded(error)) throw error;
      if (open === known) close();
      return request(open ?? (await reopen()));
    }
  }

  function close(): void {
    open?.close();
    open = undefined;
  }

  async function transact(database: IDBPDatabase<Schema>, request: (transaction: Transaction) => void) {
    const transaction = database.transaction(storeNames, 'readwrite');
    try {
      request(transaction);
      // An explicit commit: the page may be closed before the browser would commit the transaction by itself.
      transaction.commit();
    } catch (error) {
      transaction.done.catch(() => {});
      transaction.abort();
      throw error;
    }
    await transaction.done;
  }

  await reopen();

  return {
    /** Calls `listener` when the browser has deleted all data while the page was open. Returns an unsubscribe function. */
    onEmptied: emptied.add,

    async readConversations() {
      const values = await run((database) => database.getAll('conversations'));
      return values.map(readConversationRow).filter((row) => row !== undefined);
    },

    readConversation: async (id: string) =>
      readConversationRow(await run((database) => database.get('conversations', id))),

    async readTurns(conversation: string) {
      const values = await run((database) => database.getAll('turns', turnKeysOf(conversation)));
      return sortRows(values.map(readTurnRow).filter((row) => row !== undefined));
    },

    /** Reads at most `count` turns of all conversations, in key order, after the key `after`. */
    async readTurnsAfter(after: TurnKey | undefined, count: number): Promise<TurnBatch> {
      const range = after && IDBKeyRange.lowerBound(after, true);
      const [keys, values] = await run((database) => {
        const { store } = database.transaction('turns');
        return Promise.all([store.getAllKeys(range, count), store.getAll(range, count)]);
      });
      const rows = values.map(readTurnRow).filter((row) => row !== undefined);
      return { rows, cursor: keys.length < count ? undefined : keys.at(-1) };
    },

    /**
     * Writes all changes or none. If the database is open, the transaction is handed to the browser before this returns, because the
     * page may be closed next. Rejects with a `QuotaExceededError` if storage is full.
     */
    write: (changes: Changes) => run((database) => transact(database, (transaction) => put(transaction, changes))),

    clear: () =>
      run((database) =>
        transact(database, (transaction) => {
          for (const name of storeNames) ignoreRejection(transaction.objectStore(name).clear());
        }),
      ),

    close,
  };
}

export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

type Transaction = IDBPTransaction<Schema, typeof storeNames, 'readwrite'>;

function put(transaction: Transaction, changes: Changes): void {
  const conversations = transaction.objectStore('conversations');
  const turns = transaction.objectStore('turns');
  for (const id of changes.removedConversations) {
    ignoreRejection(conversations.delete(id));
    ignoreRejection(turns.delete(turnKeysOf(id)));
  }
  for (const [conversation, id] of changes.removedTurns) ignoreRejection(turns.delete([conversation, id]));
  for (const row of changes.conversations) ignoreRejection(conversations.put(row));
  for (const row of changes.turns) ignoreRejection(turns.put(row));
}

/** The transaction reports a failed request, so the request's own rejection needs no handler. */
function ignoreRejection(request: Promise<unknown>): void {
  request.catch(() => {});
}

/** Returns the key range of all turns of a conversation: IndexedDB sorts arrays after strings. */
function turnKeysOf(conversation: string): IDBKeyRange {
  return IDBKeyRange.bound([conversation], [conversation, []]);
}
