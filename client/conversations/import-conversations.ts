import { isObject } from '../../shared/is-object.ts';
import type { Turn } from '../chat/turn.ts';
import { nothingTyped } from '../chat/typed.ts';
import { titleOf } from '../device/conversation-entry.ts';
import type { ConversationRows } from '../device/conversation-rows.ts';
import { type ConversationRow, type ConversationStore, noChanges, type TurnRow } from '../device/conversation-store.ts';
import type { KeptTyped } from '../device/kept-typed.ts';
import { readTurns } from '../device/read-conversations.ts';
import type { Imported, ImportRefusal } from './conversations.ts';
import type { ExportedConversation } from './exported-conversations.ts';
import { readExportedConversation, readExportedFile } from './read-exported.ts';

/** Adds the conversations of a file to a store: all that it lacks of them. Nothing that is there is changed. */
export async function importConversations(
  store: ConversationStore,
  rows: ConversationRows,
  typed: KeptTyped,
  text: string,
): Promise<Imported> {
  const file = readExportedFile(text);
  if ('refusal' in file) return { added: 0, unchanged: 0, refused: [{ why: file.refusal, entry: null }] };
  const refused: ImportRefusal[] = [];
  let added = 0;
  let unchanged = 0;
  for (const [index, value] of file.conversations.entries()) {
    const refuse = (why: ImportRefusal['why']) =>
      refused.push({ why, entry: { place: index + 1, title: titleIn(value) } });
    const conversation = readExportedConversation(value);
    if (typeof conversation === 'string') refuse(conversation);
    else {
      try {
        if (await addLacking(store, rows, typed, conversation)) added += 1;
        else unchanged += 1;
      } catch {
        refuse('noRoom');
      }
    }
  }
  return { added, unchanged, refused };
}

/** Adds a conversation, or what the device lacks of it. Returns whether there was anything to add. */
async function addLacking(
  store: ConversationStore,
  rows: ConversationRows,
  typed: KeptTyped,
  { turns, draft = '', ...entry }: ExportedConversation,
): Promise<boolean> {
  const known = rows.get(entry.id);
  const kept = known ? await readTurns(store, entry.id) : [];
  const keptIds = new Set(kept.map(({ id }) => id));
  const first = (kept.at(-1)?.order ?? -1) + 1;
  const lacking = turns
    .filter(({ id }) => !keptIds.has(id))
    .map((turn, index): TurnRow => ({ conversation: entry.id, id: turn.id, order: first + index, turn }));
  const isHere = known !== undefined && known.removedAt === undefined;
  if (isHere && lacking.length === 0) return false;
  const row = known ? { ...known, removedAt: undefined } : rowOf(entry, turns);
  await store.write({ ...noChanges, conversations: isHere ? [] : [row], turns: lacking });
  if (!known) typed.save(entry.id, { ...nothingTyped, draft });
  return true;
}

function rowOf(entry: Omit<ExportedConversation, 'turns' | 'draft'>, turns: readonly Turn[]): ConversationRow {
  const isShownThere = turns.some(({ id }) => id === entry.shownId);
  return {
    ...entry,
    title: titleOf(entry.title),
    name: entry.name === undefined ? undefined : titleOf(entry.name),
    shownId: isShownThere ? entry.shownId : (turns.at(-1)?.id ?? null),
  };
}

function titleIn(value: unknown): string {
  return isObject(value) && typeof value.title === 'string' ? titleOf(value.title) : '';
}
