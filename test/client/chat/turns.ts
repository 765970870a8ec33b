import type { TranscriptRecord } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';

/** Returns a finished turn whose `id` and `requestId` are its question. */
export function turn(question: string, reply = 'Week 3.', overrides: Partial<Turn> = {}): Turn {
  const ids = { id: question, parentId: null, requestId: question };
  return { ...ids, question, reply, ending: { type: 'done' }, askedAt: null, ...overrides };
}

export function inARow(...turns: readonly Turn[]): Turn[] {
  return turns.map((following, index) => ({ ...following, parentId: turns[index - 1]?.id ?? null }));
}

export function record(...turns: readonly Turn[]): TranscriptRecord {
  return { conversationId: undefined, turns: inARow(...turns), shownId: turns.at(-1)?.id ?? null };
}
