import { isObject } from '../../shared/is-object.ts';
import { emptyDraft, unsent } from '../chat/draft.ts';
import { readTurn } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';
import {
  type ConversationEntry,
  type ConversationRow,
  isMoment,
  isTextOrAbsent,
  readConversationRow,
  type TurnRow,
  titleOf,
} from '../device/conversation-records.ts';
import type { ConversationStore } from '../device/conversation-store.ts';
import { turnsOf } from '../device/stored-transcript.ts';
import { parseJson } from '../parse-json.ts';

export type Imported = {
  /** Conversations that are new on this device, or had turns that this device lacked. */
  added: number;
  /** Conversations of which this device has everything. */
  unchanged: number;
  refused: readonly ImportRefusal[];
};

/** What of a file could not be taken, and why. */
export type ImportRefusal = {
  why: Refusal | 'noRoom';
  /** Null where it is the file itself. The place counts from 1; the title is empty where it cannot be read. */
  entry: { place: number; title: string } | null;
};

/** One conversation in an exported file. */
export type ExportedConversation = Omit<ConversationRow, 'removedAt'> & {
  /** Whether it stands at the top of the list. */
  pinned?: boolean | undefined;
  /** What was typed and not sent. */
  draft?: string | undefined;
  /** All turns in order of creation: each follows the one that its `parentId` names. */
  turns: readonly Turn[];
};

/** A file of conversations, as `docs/exported-conversations.schema.json` describes it. */
export type ExportedConversations = {
  format: 'advisory-chat-conversations';
  version: 1;
  exportedAt: number;
  conversations: readonly ExportedConversation[];
};

/** Why something of a file cannot be taken. */
export type Refusal = 'notAFile' | 'laterVersion' | 'noConversation' | 'damagedTurn';

/** These conversations as a file. What is typed and not sent is in it too. */
export async function exportConversations(
  store: ConversationStore,
  entries: readonly ConversationEntry[],
  { pinned, exportedAt }: { pinned: readonly string[]; exportedAt: number },
): Promise<ExportedConversations> {
  const conversations: ExportedConversation[] = [];
  for (const { id, title, name, lastActiveAt } of entries) {
    const turns = turnsOf(await store.readTurnRows(id));
    const { conversationId, shownId = null } = store.row(id) ?? {};
    const draft = unsent(turns, store.drafts.load(id)) || undefined;
    const isPinned = pinned.includes(id) || undefined;
    conversations.push({ id, title, name, lastActiveAt, conversationId, shownId, pinned: isPinned, draft, turns });
  }
  return { format: 'advisory-chat-conversations', version: 1, exportedAt, conversations };
}

/** Adds the conversations of a file: all that the device lacks of them. Nothing that is there is changed; `pin` is told what is pinned. */
export async function importConversations(
  store: ConversationStore,
  text: string,
  pin: (ids: readonly string[]) => void,
): Promise<Imported> {
  const file = readExportedFile(text);
  if ('refusal' in file) return { added: 0, unchanged: 0, refused: [{ why: file.refusal, entry: null }] };
  const refused: ImportRefusal[] = [];
  const added: string[] = [];
  const pinned: string[] = [];
  let unchanged = 0;
  for (const [index, value] of file.conversations.entries()) {
    const refuse = (why: ImportRefusal['why']) =>
      refused.push({ why, entry: { place: index + 1, title: titleIn(value) } });
    const conversation = readExportedConversation(value);
    if (typeof conversation === 'string') refuse(conversation);
    else {
      try {
        if (await addLacking(store, conversation)) added.push(conversation.id);
        else unchanged += 1;
        if (conversation.pinned) pinned.push(conversation.id);
      } catch {
        refuse('noRoom');
      }
    }
  }
  store.announceAdded(added);
  if (pinned.length > 0) pin(pinned);
  return { added: added.length, unchanged, refused };
}

/** Adds a conversation, or what the device lacks of it. Returns whether there was anything to add. */
async function addLacking(
  store: ConversationStore,
  { turns, draft = '', pinned, ...entry }: ExportedConversation,
): Promise<boolean> {
  const known = store.row(entry.id);
  const kept = known ? await store.readTurnRows(entry.id) : [];
  const keptIds = new Set(kept.map(({ id }) => id));
  const first = (kept.at(-1)?.order ?? -1) + 1;
  const lacking = turns
    .filter(({ id }) => !keptIds.has(id))
    .map((turn, index): TurnRow => ({ conversation: entry.id, id: turn.id, order: first + index, turn }));
  if (known && known.removedAt === undefined && lacking.length === 0) return false;
  await store.add(known ? { ...known, removedAt: undefined } : rowOf(entry, turns), lacking);
  if (!known) store.drafts.save(entry.id, { ...emptyDraft, text: draft });
  return true;
}

function rowOf(
  entry: Omit<ExportedConversation, 'turns' | 'draft' | 'pinned'>,
  turns: readonly Turn[],
): ConversationRow {
  const isShownThere = turns.some(({ id }) => id === entry.shownId);
  return {
    ...entry,
    title: titleOf(entry.title),
    name: entry.name === undefined ? undefined : titleOf(entry.name),
    removedAt: undefined,
    shownId: isShownThere ? entry.shownId : (turns.at(-1)?.id ?? null),
  };
}

function titleIn(value: unknown): string {
  return isObject(value) && typeof value.title === 'string' ? titleOf(value.title) : '';
}

/** The conversations of a file, each as it is or with why it cannot be taken. */
type ReadFile = { conversations: readonly unknown[] } | { refusal: Refusal };

/** The conversations in the text of a file, still to be looked at one by one. */
function readExportedFile(text: string): ReadFile {
  const file = parseJson(text);
  if (!isObject(file) || file.format !== 'advisory-chat-conversations') return { refusal: 'notAFile' };
  if (file.version !== 1) return { refusal: 'laterVersion' };
  return Array.isArray(file.conversations) ? { conversations: file.conversations } : { refusal: 'notAFile' };
}

/** One conversation of a file. Only what is named here is taken over, whatever else the value holds. */
function readExportedConversation(value: unknown): ExportedConversation | Refusal {
  const row = readConversationRow(value);
  if (row === undefined || !isObject(value) || !Array.isArray(value.turns)) return 'noConversation';
  const { draft, pinned } = value;
  if (!isTextOrAbsent(draft) || (pinned !== undefined && typeof pinned !== 'boolean')) return 'noConversation';
  const turns = readTurns(value.turns);
  return turns === undefined ? 'damagedTurn' : { ...row, draft, pinned, turns };
}

/** The turns, or undefined if one of them is no turn, repeats an id, or follows a turn that does not come before it. */
function readTurns(values: readonly unknown[]): Turn[] | undefined {
  const ids = new Set<string>();
  const turns: Turn[] = [];
  for (const value of values) {
    const turn = readTurn(value);
    if (turn === undefined || ids.has(turn.id) || turn.id.length > 200) return undefined;
    if (turn.parentId !== null && !ids.has(turn.parentId)) return undefined;
    if (turn.askedAt !== null && !isMoment(turn.askedAt)) return undefined;
    ids.add(turn.id);
    turns.push(turn);
  }
  return turns;
}
