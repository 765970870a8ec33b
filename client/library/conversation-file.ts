import { isObject } from '../../shared/is-object.ts';
import { emptyDraft, unsentText } from '../chat/draft.ts';
import { readTurn } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';
import { isQuotaExceeded } from '../device/conversation-database.ts';
import {
  type ConversationEntry,
  type ConversationRow,
  isOptionalString,
  isTimestamp,
  readConversationRow,
  type TurnRow,
} from '../device/conversation-records.ts';
import type { ConversationStore } from '../device/conversation-store.ts';
import { nameOf, titleOf } from '../device/conversation-title.ts';
import { turnsOf } from '../device/stored-transcript.ts';
import { parseJson } from '../parse-json.ts';

export type ImportResult = {
  /** Conversations that were new on this device, gained turns or had been deleted. */
  added: number;
  /** Conversations that were on this device with all of these turns, and not deleted. */
  unchanged: number;
  rejected: readonly ImportRejection[];
};

export type ImportRejection = {
  reason: RejectionReason | 'storageFull' | 'notStored';
  /** Null if the file itself was rejected. `position` counts from 1; `title` is empty if it cannot be read. */
  entry: { position: number; title: string } | null;
};

export type ExportedConversation = Omit<ConversationRow, 'removedAt'> & {
  pinned?: boolean | undefined;
  draft?: string | undefined;
  /** The turns in order of creation. The `parentId` of a turn is the id of the turn that it follows, or null. */
  turns: readonly Turn[];
};

/** The export format; `docs/exported-conversations.schema.json` describes it. */
export type ExportedConversations = {
  format: 'advisory-chat-conversations';
  version: 1;
  exportedAt: number;
  conversations: readonly ExportedConversation[];
};

export type RejectionReason = 'notAFile' | 'damagedFile' | 'laterVersion' | 'noConversation' | 'damagedTurn';

export async function exportConversations(
  store: ConversationStore,
  entries: readonly ConversationEntry[],
  { pinned, exportedAt }: { pinned: readonly string[]; exportedAt: number },
): Promise<ExportedConversations> {
  const conversations: ExportedConversation[] = [];
  for (const { id, title, name, lastActiveAt } of entries) {
    const turns = turnsOf(await store.readTurnRows(id));
    const { conversationId, shownId = null, earlierShownIds } = store.row(id) ?? {};
    const draft = unsentText(turns, store.loadDraft(id)) || undefined;
    const isPinned = pinned.includes(id) || undefined;
    const shown = { shownId, earlierShownIds };
    conversations.push({ id, title, name, lastActiveAt, conversationId, ...shown, pinned: isPinned, draft, turns });
  }
  return { format: 'advisory-chat-conversations', version: 1, exportedAt, conversations };
}

/**
 * Adds the conversations and turns of a file that this device does not have, and restores deleted conversations. `pin` receives the
 * ids of pinned conversations.
 */
export async function importConversations(
  store: ConversationStore,
  text: string,
  pin: (ids: readonly string[]) => void,
): Promise<ImportResult> {
  const file = readExportedFile(text);
  if ('rejection' in file) return { added: 0, unchanged: 0, rejected: [{ reason: file.rejection, entry: null }] };
  const rejected: ImportRejection[] = [];
  const added: string[] = [];
  const pinned: string[] = [];
  let unchanged = 0;
  for (const [index, value] of file.conversations.entries()) {
    const reject = (reason: ImportRejection['reason']) =>
      rejected.push({ reason, entry: { position: index + 1, title: exportedTitle(value) } });
    const conversation = readExportedConversation(value);
    if (typeof conversation === 'string') reject(conversation);
    else {
      try {
        if (await addMissing(store, conversation)) added.push(conversation.id);
        else unchanged += 1;
        if (conversation.pinned) pinned.push(conversation.id);
      } catch (error) {
        reject(isQuotaExceeded(error) ? 'storageFull' : 'notStored');
      }
    }
  }
  store.announceAdded(added);
  if (pinned.length > 0) pin(pinned);
  return { added: added.length, unchanged, rejected };
}

/** Adds a conversation or its missing turns and shows them, and restores a deleted one. Returns whether anything changed. */
async function addMissing(
  store: ConversationStore,
  { turns, draft = '', pinned, ...entry }: ExportedConversation,
): Promise<boolean> {
  const known = store.row(entry.id);
  const stored = known ? await store.readTurnRows(entry.id) : [];
  const storedIds = new Set(stored.map(({ id }) => id));
  const first = (stored.at(-1)?.order ?? -1) + 1;
  const missing = turns
    .filter(({ id }) => !storedIds.has(id))
    .map((turn, index): TurnRow => {
      return { conversation: entry.id, id: turn.id, order: first + index, turn: { ...turn, isImported: true } };
    });
  if (known && known.removedAt === undefined && missing.length === 0) return false;
  await store.add(known ? { ...withAdded(known, entry, missing), removedAt: undefined } : rowOf(entry, turns), missing);
  if (!known) store.saveDraft(entry.id, { ...emptyDraft, text: draft });
  return true;
}

type ExportedProperties = Omit<ExportedConversation, 'turns' | 'draft' | 'pinned'>;

/** Shows the turn that is shown in the file if it was added, otherwise the last added turn. */
function withAdded(known: ConversationRow, entry: ExportedProperties, added: readonly TurnRow[]): ConversationRow {
  const shown = added.find(({ id }) => id === entry.shownId) ?? added.at(-1);
  if (shown === undefined) return known;
  return {
    ...known,
    conversationId: known.conversationId ?? entry.conversationId,
    lastActiveAt: Math.max(known.lastActiveAt, entry.lastActiveAt),
    shownId: shown.id,
  };
}

function rowOf(entry: ExportedProperties, turns: readonly Turn[]): ConversationRow {
  const hasShownTurn = turns.some(({ id }) => id === entry.shownId);
  return {
    ...entry,
    title: titleOf(entry.title),
    name: entry.name === undefined ? undefined : nameOf(entry.name),
    removedAt: undefined,
    shownId: hasShownTurn ? entry.shownId : (turns.at(-1)?.id ?? null),
  };
}

function exportedTitle(value: unknown): string {
  return isObject(value) && typeof value.title === 'string' ? titleOf(value.title) : '';
}

type ParsedFile = { conversations: readonly unknown[] } | { rejection: RejectionReason };

/** Matches the beginning of an exported file, even if an incomplete download or copy has lost its end. */
const beginningOfExport = /^\s*\{\s*"format"\s*:\s*"advisory-chat-conversations"/;

/** Validates the file's envelope only; each conversation is validated separately. */
function readExportedFile(text: string): ParsedFile {
  const file = parseJson(text);
  if (file === null && beginningOfExport.test(text)) return { rejection: 'damagedFile' };
  if (!isObject(file) || file.format !== 'advisory-chat-conversations') return { rejection: 'notAFile' };
  if (file.version !== 1) return { rejection: 'laterVersion' };
  return Array.isArray(file.conversations) ? { conversations: file.conversations } : { rejection: 'damagedFile' };
}

/** Copies only the known fields. */
function readExportedConversation(value: unknown): ExportedConversation | RejectionReason {
  const row = readConversationRow(value);
  if (row === undefined || !isObject(value) || !Array.isArray(value.turns)) return 'noConversation';
  const { draft, pinned } = value;
  if (!isOptionalString(draft) || (pinned !== undefined && typeof pinned !== 'boolean')) return 'noConversation';
  const turns = readTurns(value.turns);
  return turns === undefined ? 'damagedTurn' : { ...row, draft, pinned, turns };
}

/** Returns undefined if a value is not a valid turn, repeats an id, or has a parent that does not come before it. */
function readTurns(values: readonly unknown[]): Turn[] | undefined {
  const ids = new Set<string>();
  const turns: Turn[] = [];
  for (const value of values) {
    const turn = readTurn(value);
    if (turn === undefined || ids.has(turn.id) || turn.id.length > 200) return undefined;
    if (turn.parentId !== null && !ids.has(turn.parentId)) return undefined;
    if (turn.askedAt !== null && !isTimestamp(turn.askedAt)) return undefined;
    ids.add(turn.id);
    turns.push(turn);
  }
  return turns;
}
