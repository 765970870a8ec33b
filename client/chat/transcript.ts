import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { type Turn, turnSchema } from './turn.ts';

const recordSchema = z.object({
  conversationId: z.string().optional(),
  draft: z.string(),
  turns: z.array(turnSchema),
});

/** What a device keeps of a conversation. The server's id of it is unknown before the first live turn, and in the demo. */
export type TranscriptRecord = {
  conversationId: string | undefined;
  draft: string;
  turns: readonly Turn[];
};

export type TranscriptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
export type Transcript = ReturnType<typeof createTranscript>;

/** Keeps one conversation in the device's storage under `key`. */
export function createTranscript(storage: TranscriptStorage, key: string) {
  return {
    key,

    /** The kept conversation, or an empty one where nothing readable is kept. A turn that was running was cut by the reload. */
    load(): TranscriptRecord {
      const kept = recordSchema.safeParse(parseJson(storage.getItem(key)));
      if (!kept.success) return { conversationId: undefined, draft: '', turns: [] };
      const { conversationId, draft, turns } = kept.data;
      return {
        conversationId,
        draft,
        turns: turns.map((turn) => ({
          ...turn,
          ending: turn.ending ?? { type: 'interrupted', requestId: turn.requestId },
        })),
      };
    },

    /** Keeps the conversation, without its oldest turns where the storage is full. Returns whether all of it was kept. */
    save({ conversationId, draft, turns }: TranscriptRecord): boolean {
      let kept = turns;
      for (;;) {
        try {
          storage.setItem(key, JSON.stringify({ conversationId, draft, turns: kept }));
          return kept.length === turns.length;
        } catch {
          if (kept.length === 0) return false;
          kept = kept.slice(Math.ceil(kept.length / 2));
        }
      }
    },

    clear(): void {
      storage.removeItem(key);
    },
  };
}
