import type { Clock } from '../chat/clock.ts';
import type { Transcript, TranscriptRecord } from '../chat/transcript.ts';
import { titleOf } from './conversation-entry.ts';
import type { ConversationRows } from './conversation-rows.ts';
import { type ConversationRow, noChanges, type StoreChanges, type TurnRow } from './conversation-store.ts';
import { createKeptTurns, type KeptTurns } from './kept-turns.ts';
import type { KeptTyped } from './kept-typed.ts';

type OpenTranscriptsParts = {
  rows: ConversationRows;
  typed: KeptTyped;
  clock: Clock;
  /** Told of every change of a conversation, to be written. */
  change: (changes: StoreChanges) => void;
};

type Open = { transcript: Transcript; turns: KeptTurns };

/** The transcripts that conversations on this page have in hand: in memory, and behind that in the store. */
export function createOpenTranscripts({ rows, typed, clock, change }: OpenTranscriptsParts) {
  const open = new Map<string, Open>();

  function create(id: string, kept: readonly TurnRow[]): Transcript {
    const turns = createKeptTurns(id, kept);
    let hasTurns = kept.length > 0;

    const transcript: Transcript = {
      load() {
        const { conversationId, shownId = null } = rows.get(id) ?? {};
        const loaded = turns.turns();
        hasTurns = loaded.length > 0;
        return { conversationId, turns: loaded, shownId, typed: typed.load(id) };
      },

      saveTurns(record) {
        const { isActivity, ...changed } = turns.change(record.turns);
        hasTurns = record.turns.length > 0;
        const row = rows.get(id);
        if (row === undefined && !hasTurns) return;
        const { title, lastActiveAt } = row ?? { title: '', lastActiveAt: clock.now() };
        const next: ConversationRow = {
          ...row,
          id,
          title: titleOfShown(record, changed.turns) ?? title,
          lastActiveAt: isActivity ? clock.now() : lastActiveAt,
          conversationId: record.conversationId,
          shownId: record.shownId,
          removedAt: undefined,
        };
        const conversations = row && isSame(row, next) ? [] : [next];
        if (conversations.length + changed.turns.length + changed.removedTurns.length === 0) return;
        change({ ...noChanges, ...changed, conversations });
      },

      saveTyped(latest) {
        typed.save(id, latest);
        if (hasTurns) return;
        const row = rows.get(id);
        const title = titleOf(latest.draft);
        if (title === '') {
          if (row) change({ ...noChanges, removedConversations: [id] });
        } else if (title !== row?.title) {
          change({
            ...noChanges,
            conversations: [{ ...row, id, title, lastActiveAt: clock.now(), shownId: null, removedAt: undefined }],
          });
        }
      },
    };
    open.set(id, { transcript, turns });
    return transcript;
  }

  return {
    create,
    get: (id: string): Transcript | undefined => open.get(id)?.transcript,
    ids: () => [...open.keys()],
    drop: (id: string) => open.delete(id),
    replace: (id: string, kept: readonly TurnRow[]) => open.get(id)?.turns.replace(kept),
    clear: () => open.clear(),

    /** Takes in what was changed elsewhere. Gives the ids of the open conversations that it concerns. */
    takeIn(changes: StoreChanges): string[] {
      const concerned = new Set([
        ...changes.removedConversations,
        ...changes.conversations.map(({ id }) => id),
        ...[...changes.turns.map(({ conversation }) => conversation), ...changes.removedTurns.map(([id]) => id)],
      ]);
      for (const id of concerned) open.get(id)?.turns.takeIn(changes);
      return [...concerned].filter((id) => open.has(id));
    },
  };
}

export type OpenTranscripts = ReturnType<typeof createOpenTranscripts>;

/** The title from the first question that is shown, where that is among `changed`: else a name from before stands. */
function titleOfShown({ turns, shownId }: TranscriptRecord, changed: readonly TurnRow[]): string | undefined {
  let soughtId = shownId;
  let first: TranscriptRecord['turns'][number] | undefined;
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn?.id !== soughtId) continue;
    first = turn;
    soughtId = turn?.parentId ?? null;
  }
  return first && changed.some(({ id }) => id === first.id) ? titleOf(first.question) : undefined;
}

function isSame(one: ConversationRow, other: ConversationRow): boolean {
  return (
    one.title === other.title &&
    one.lastActiveAt === other.lastActiveAt &&
    one.conversationId === other.conversationId &&
    one.shownId === other.shownId &&
    one.removedAt === other.removedAt
  );
}
