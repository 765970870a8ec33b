import { titleOf } from './conversation-entry.ts';
import {
  type ConversationRow,
  type ConversationStore,
  type DamagedText,
  type KeptValue,
  noChanges,
  type TurnKey,
  type TurnRow,
} from './conversation-store.ts';
import { inOrder } from './kept-turns.ts';
import type { KeptTyped } from './kept-typed.ts';
import { isConversationId, mendedConversationRow, readConversationRow, readTurnRow } from './store-rows.ts';

/**
 * All conversations of a store. One whose record is damaged gets a new one from its turns or from what is typed in it; what
 * cannot be read is put aside first. `now` is when it was last active where nothing else says so.
 */
export async function readConversations(
  store: ConversationStore,
  typed: KeptTyped,
  now: number,
): Promise<ConversationRow[]> {
  const rows: ConversationRow[] = [];
  for (const { key, value } of await store.readConversations()) {
    const row = readConversationRow(value) ?? (await mended(store, key, value, now));
    if (row) rows.push(row);
  }
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of typed.ids()) {
    const title = titleOf(typed.load(id).draft);
    if (title !== '' && isConversationId(id) && !ids.has(id))
      rows.push({ id, title, lastActiveAt: now, shownId: null });
  }
  return rows;
}

/** The turns of a conversation that can be read, in order of creation. The others are put aside; `onPutAside` hears of it. */
export async function readTurns(store: ConversationStore, id: string, onPutAside?: () => void): Promise<TurnRow[]> {
  const values = await store.readTurns(id);
  const rows = values.map(({ value }) => readTurnRow(value)).filter((row) => row !== undefined);
  if (rows.length < values.length) {
    const damaged = values.filter(({ value }) => readTurnRow(value) === undefined);
    await putAside(store, damaged);
    const removedTurns = damaged.map(({ key }) => key);
    await store.write({ ...noChanges, removedTurns });
    onPutAside?.();
  }
  return inOrder(rows);
}

async function mended(
  store: ConversationStore,
  id: string,
  value: unknown,
  now: number,
): Promise<ConversationRow | undefined> {
  await putAside(store, [{ key: id, value }]);
  const turns = await readTurns(store, id);
  const ofTurns = rowOf(id, turns, now);
  const row = ofTurns && mendedConversationRow(value, ofTurns);
  await store.write({ ...noChanges, ...(row ? { conversations: [row] } : { removedConversations: [id] }) });
  return row;
}

/** What is kept of the conversation with these turns; undefined where there are none. */
export function rowOf(id: string, turns: readonly TurnRow[], now: number): ConversationRow | undefined {
  const [first] = turns;
  const last = turns.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const lastActiveAt = turns.reduce((latest, { turn }) => Math.max(latest, turn.askedAt ?? 0), 0) || now;
  return { id, title: titleOf(first.turn.question), lastActiveAt, shownId: last.id };
}

function putAside(store: ConversationStore, values: readonly KeptValue<string | TurnKey>[]): Promise<void> {
  const texts = values.map(({ key, value }): DamagedText => ({ from: String(key), text: textOf(value) }));
  return store.fold(noChanges, texts);
}

/** A value as text, whatever it is. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
