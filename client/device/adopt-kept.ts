import { isObject } from '../../shared/is-object.ts';
import { readTurn } from '../chat/kept.ts';
import type { Turn } from '../chat/turn.ts';
import { nothingTyped } from '../chat/typed.ts';
import { parseJson } from '../parse-json.ts';
import type { ConversationRow, ConversationStore, DamagedText, TurnRow } from './conversation-store.ts';
import type { DeviceStorage } from './device-storage.ts';
import { indexKeyOf, transcriptKeyOf, transcriptKeys } from './kept-before.ts';
import type { KeptTyped } from './kept-typed.ts';
import { rowOf } from './read-conversations.ts';
import { isConversationId, mendedConversationRow } from './store-rows.ts';

type AdoptParts = {
  storage: DeviceStorage;
  prefix: string;
  store: ConversationStore;
  typed: KeptTyped;
  /** The conversation that becomes of the one transcript which earlier releases have kept under `prefix`. */
  createSoleId: () => string;
  now: number;
};

/**
 * Moves what releases before the store have kept under `prefix` into the store, one conversation at a time: each leaves its old
 * place when the store has it. What cannot be read is put aside in the store. Rejects where the store has no room; the rest
 * is where it was then. A store that does not last gets a copy.
 */
export async function adoptKept({ storage, prefix, store, typed, createSoleId, now }: AdoptParts): Promise<void> {
  const forget = (key: string) => store.isLasting && storage.removeItem(key);
  const entries = readIndex(storage.getItem(indexKeyOf(prefix)), now);

  async function adopt(key: string, id: string): Promise<void> {
    const text = storage.getItem(key);
    if (text === null) return;
    const { conversationId, turns, damaged } = readTranscript(text, key, id);
    const ofTurns = rowOf(id, turns, now);
    const known = entries.find((entry) => entry.id === id);
    const conversations = ofTurns ? [{ ...mendedConversationRow(known, ofTurns), conversationId }] : [];
    await store.fold({ conversations, turns }, damaged);
    forget(key);
  }

  for (const key of transcriptKeys(storage, prefix)) await adopt(key, key.slice(transcriptKeyOf(prefix, '').length));

  const sole = storage.getItem(prefix);
  if (sole !== null) {
    const id = createSoleId();
    await adopt(prefix, id);
    const soleTyped = parseJson(storage.getItem(`${prefix}:typed`)) ?? parseJson(sole);
    if (isObject(soleTyped) && typeof soleTyped.draft === 'string')
      typed.save(id, { ...nothingTyped, draft: soleTyped.draft });
    forget(`${prefix}:typed`);
  }

  // Conversations in which nothing was asked yet.
  const onlyTyped = typed.ids().map((id) => entries.find((entry) => entry.id === id));
  await store.fold({ conversations: onlyTyped.filter((entry) => entry !== undefined), turns: [] });
  forget(indexKeyOf(prefix));
}

/** What can be read of a kept transcript, and what cannot. */
function readTranscript(text: string, from: string, conversation: string) {
  const record = parseJson(text);
  if (!isObject(record) || !Array.isArray(record.turns))
    return { conversationId: undefined, turns: [], damaged: [{ from, text }] };
  const values: unknown[] = record.turns;
  const turns: TurnRow[] = [];
  const damaged: DamagedText[] = [];
  let preceding: Turn | undefined;
  for (const [order, value] of values.entries()) {
    const turn = readTurn(value, preceding);
    if (turn === undefined) damaged.push({ from, text: JSON.stringify(value) });
    else {
      turns.push({ conversation, id: turn.id, order, turn });
      preceding = turn;
    }
  }
  const { conversationId } = record;
  return { conversationId: typeof conversationId === 'string' ? conversationId : undefined, turns, damaged };
}

/** The entries of a kept index, as far as they can be read. */
function readIndex(text: string | null, now: number): ConversationRow[] {
  const values = parseJson(text);
  const entries = Array.isArray(values) ? values.filter(isObject) : [];
  return entries.flatMap((entry) => {
    const { id } = entry;
    return isConversationId(id)
      ? [mendedConversationRow(entry, { id, title: '', lastActiveAt: now, shownId: null })]
      : [];
  });
}
