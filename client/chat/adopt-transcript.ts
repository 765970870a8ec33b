import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import type { ConversationList } from './conversation-list.ts';
import { createTranscript, type TranscriptStorage } from './transcript.ts';
import { nothingTyped } from './typed.ts';

const draftSchema = z.object({ draft: z.string() });

/**
 * Moves the one transcript under `key`, which is all that the device kept of a person in version 1.0, into the list, where
 * it becomes the conversation `id`.
 */
export function adoptTranscript(storage: TranscriptStorage, key: string, list: ConversationList, id: string): void {
  const kept = storage.getItem(key);
  if (kept === null) return;
  const { conversationId, turns, shownId } = createTranscript(storage, key).load();
  const draft = draftSchema.safeParse(parseJson(kept)).data?.draft ?? '';
  // First, for the device may have no room for both.
  storage.removeItem(key);
  const transcript = list.transcript(id);
  transcript.saveTurns({ conversationId, turns, shownId });
  transcript.saveTyped({ ...nothingTyped, draft });
}
