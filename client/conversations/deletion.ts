import type { Clock } from '../chat/clock.ts';
import type { ConversationRows } from '../device/conversation-rows.ts';
import { noChanges, type StoreChanges } from '../device/conversation-store.ts';
import type { KeptTyped } from '../device/kept-typed.ts';
import { type Restorable, undoSeconds } from './conversations.ts';

type DeletionParts = {
  rows: ConversationRows;
  typed: KeptTyped;
  clock: Clock;
  change: (changes: StoreChanges) => void;
};

/** Deletes conversations in two steps: hidden at once, they are gone for good a little later. */
export function createDeletion({ rows, typed, clock, change }: DeletionParts) {
  /** For how long what was deleted at `removedAt` can be brought back. */
  function restOf(removedAt: number): number {
    const rest = removedAt + undoSeconds * 1000 - clock.now();
    // A clock that was put back does not keep it for ever.
    return Math.min(Math.max(rest, 0), undoSeconds * 1000);
  }

  /** Removes for good, once their time is over, those that were deleted at `removedAt`. */
  function purgeAfter(removedAt: number): void {
    clock.after(restOf(removedAt), () => {
      for (const row of rows.all()) {
        if (row.removedAt !== removedAt) continue;
        change({ ...noChanges, removedConversations: [row.id] });
        typed.remove(row.id);
      }
    });
  }

  function remove(id: string): void {
    const row = rows.get(id);
    if (row === undefined) return;
    const removedAt = clock.now();
    change({ ...noChanges, conversations: [{ ...row, removedAt }] });
    purgeAfter(removedAt);
  }

  return {
    remove,

    restore(id: string): void {
      const row = rows.get(id);
      if (row?.removedAt !== undefined) change({ ...noChanges, conversations: [{ ...row, removedAt: undefined }] });
    },

    /** Another tab may have brought it back. */
    stay(id: string): void {
      if (rows.get(id)?.removedAt !== undefined) remove(id);
    },

    restorable(): Restorable[] {
      return rows
        .all()
        .flatMap(({ id, title, name, lastActiveAt, removedAt }) =>
          removedAt === undefined ? [] : [{ removedAt, entry: { id, title, name, lastActiveAt } }],
        )
        .sort((one, other) => one.removedAt - other.removedAt)
        .map(({ removedAt, entry }) => ({ entry, milliseconds: restOf(removedAt) }))
        .filter(({ milliseconds }) => milliseconds > 0);
    },

    /** Goes on with what was deleted before the page was opened. */
    resume(): void {
      for (const { removedAt } of rows.all()) if (removedAt !== undefined) purgeAfter(removedAt);
    },
  };
}
