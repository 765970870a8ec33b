import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { ConversationStore, TurnRow } from '../device/conversation-store.ts';
import { inOrder } from '../device/kept-turns.ts';
import { readTurnRow } from '../device/store-rows.ts';
import type { Found, Passage } from './conversations.ts';
import { findFolded, folded } from './folded-text.ts';
import { passageAround } from './passage.ts';

/** How much text is looked through at a time: a few milliseconds' worth. */
const batchCharacters = 500_000;
const fewestTurns = 20;
const mostTurns = 800;

/**
 * The conversations among `entries` in whose name, title or turns `words` occur, in the order of `entries`. Reads a few turns
 * at a time and lets go of the page in between. Rejects with the signal's reason once that is aborted.
 */
export async function searchConversations(
  store: ConversationStore,
  shownIds: ReadonlyMap<string, string | null>,
  entries: readonly ConversationEntry[],
  words: string,
  signal?: AbortSignal,
): Promise<Found[]> {
  const sought = folded(words.trim().replace(/\s+/g, ' '));
  if (sought === '') return [];
  const passages = new Map<string, Passage>();
  for await (const turns of conversationsOf(store, signal)) {
    const [first] = turns;
    const shownId = first && shownIds.get(first.conversation);
    if (first === undefined || shownId === undefined) continue;
    const passage = passageIn(turns, shownId, sought);
    if (passage) passages.set(first.conversation, passage);
  }
  const found = entries.map((entry): Found => ({ entry, passage: passages.get(entry.id) ?? null }));
  const isNamed = ({ title, name }: ConversationEntry) =>
    [title, name ?? ''].some((text) => folded(text).includes(sought));
  return found.filter(({ entry, passage }) => passage !== null || isNamed(entry));
}

/** The readable turns of each conversation, one conversation after the other. */
async function* conversationsOf(store: ConversationStore, signal: AbortSignal | undefined): AsyncGenerator<TurnRow[]> {
  let gathered: TurnRow[] = [];
  for await (const row of turnsOf(store, signal)) {
    if (gathered.length > 0 && gathered[0]?.conversation !== row.conversation) {
      yield gathered;
      gathered = [];
    }
    gathered.push(row);
  }
  if (gathered.length > 0) yield gathered;
}

async function* turnsOf(store: ConversationStore, signal: AbortSignal | undefined): AsyncGenerator<TurnRow> {
  let count = fewestTurns;
  let asked = store.readTurnsAfter(undefined, count);
  for (;;) {
    const batch = await asked;
    signal?.throwIfAborted();
    const rows = batch.map(({ value }) => readTurnRow(value)).filter((row) => row !== undefined);
    const last = batch.at(-1);
    const isLast = last === undefined || batch.length < count;
    if (!isLast) {
      const characters = rows.reduce((sum, { turn }) => sum + turn.question.length + turn.reply.length, 1);
      count = Math.min(Math.max(Math.floor((batch.length * batchCharacters) / characters), fewestTurns), mostTurns);
      // The store reads on while these are looked through.
      asked = store.readTurnsAfter(last.key, count);
      // Nobody waits for it where the search is called off.
      asked.catch(() => {});
    }
    yield* rows;
    if (isLast) return;
  }
}

/** The first place in these turns of one conversation, what is shown of them first. */
function passageIn(rows: readonly TurnRow[], shownId: string | null, sought: string): Passage | undefined {
  const shown = pathIds(rows, shownId);
  const ordered = inOrder(rows);
  for (const { id, turn } of [
    ...ordered.filter(({ id }) => shown.has(id)),
    ...ordered.filter(({ id }) => !shown.has(id)),
  ]) {
    for (const text of [turn.question, turn.reply]) {
      const place = findFolded(text, sought);
      if (place) return { ...passageAround(text, place), turnId: id };
    }
  }
  return undefined;
}

/** The ids of the turns from a first one to the turn `shownId`. */
function pathIds(rows: readonly TurnRow[], shownId: string | null): ReadonlySet<string> {
  const parents = new Map(rows.map(({ id, turn }) => [id, turn.parentId]));
  const ids = new Set<string>();
  for (let id = shownId; id !== null && !ids.has(id); id = parents.get(id) ?? null) ids.add(id);
  return ids;
}
