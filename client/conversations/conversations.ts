import type { Transcript } from '../chat/transcript.ts';
import type { ConversationEntry } from '../device/conversation-entry.ts';
import type { RoomUsed } from '../device/device-room.ts';
import type { KeptState } from '../device/kept-conversations.ts';
import type { ExportedConversations } from './exported-conversations.ts';
import type { Refusal } from './read-exported.ts';

/** Where the words of a search occur in what was said. The text is cut at the ends of words, with `…` where it is cut. */
export type Passage = { before: string; match: string; after: string; turnId: string };

/** A conversation that a search has found; without a passage where only its title or name has the words. */
export type Found = { entry: ConversationEntry; passage: Passage | null };

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

export type Usage = RoomUsed & { conversations: number };

/** How long a deleted conversation can be brought back. */
export const undoSeconds = 30;

/** A deleted conversation, and for how long it can still be brought back. */
export type Restorable = { entry: ConversationEntry; milliseconds: number };

/** The conversations that the device keeps of one person. */
export type ConversationList = {
  getState(): KeptState;
  /** Calls `listener` after every change of the state until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Resolves when the device has been read for the first time. Never rejects. */
  loaded: Promise<void>;

  /** Hears what other tabs do, and tells them what this one does, until the returned function is called. */
  connect(): () => void;

  /** Reads a conversation. Null where this device has none of this id, or the person has deleted it. Never rejects. */
  open(id: string): Promise<Transcript | null>;
  /** A new conversation. It is in the list for as long as there is anything in it. */
  begin(id: string): Transcript;
  /** Whether the device has a conversation of this id that the person has not deleted. */
  isKnown(id: string): boolean;
  /** The transcript of the conversation is in no hand on this page any more. */
  release(id: string): Promise<void>;
  /** Calls `listener` with the id of a conversation that another tab has changed, once its transcript has that. */
  onChangeElsewhere(listener: (id: string) => void): () => void;
  /** Calls `listener` when the person has signed out in another tab. */
  onForgotten(listener: () => void): () => void;
  /** Calls `listener` before conversations are exported, which is what is kept by then. */
  onExporting(listener: () => void): () => void;
  /** Calls `listener` before all conversations are removed: what a page still has of them must not be kept again. */
  onRemovingAll(listener: () => void): () => void;

  /** Gives a conversation a name; a blank one takes the name away. */
  rename(id: string, name: string): void;
  /** Hides a conversation at once. It is gone for good after `undoSeconds`, or at the next start after that. */
  remove(id: string): void;
  /** Brings back a conversation that is not yet gone for good. */
  restore(id: string): void;
  /** Lets a conversation that can be brought back have its whole time again. Nothing where it is not deleted. */
  stayRestorable(id: string): void;
  /** The conversations that can be brought back, the one deleted last at the end. */
  restorable(): readonly Restorable[];
  /** Removes all conversations for good, and everything that is typed in them. */
  removeAll(): Promise<void>;

  /**
   * The conversations in whose name, title or text `words` occur, whatever their case and accents, the latest first.
   * Rejects with the signal's reason once that is aborted. Blank words find nothing.
   */
  search(words: string, signal?: AbortSignal): Promise<readonly Found[]>;

  /** Everything that can be read, what is typed included. */
  exportAll(): Promise<ExportedConversations>;
  exportOne(id: string): Promise<ExportedConversations>;
  /** What is damaged, as it was found. */
  exportDamaged(): Promise<string>;
  /** Takes in a file that was exported. What is on this device stays as it is; what it lacks is added. Never rejects. */
  importFile(text: string): Promise<Imported>;
  usage(): Promise<Usage>;

  /** Keeps what was not written yet where the page can be left the next moment. */
  keep(): void;
  /** Reads the device anew: the page was away while another tab may have changed it. */
  takeIn(): Promise<void>;
  /** Forgets what is on the page and writes nothing more: the person has signed out. */
  close(): void;
};
