import type { Clock } from './clock.ts';
import { createPaced } from './paced.ts';
import type { Transcript, TranscriptRecord } from './transcript.ts';
import type { Typed } from './typed.ts';

type KeepingParts = {
  transcript: Transcript;
  clock: Clock;
  /** What is to be kept, as it is now. */
  current: () => TranscriptRecord & Typed;
};

/** Keeps a conversation on the device: at once, or soon where there is more to come, so that keeping costs little. */
export function createKeeping({ transcript, clock, current }: KeepingParts) {
  const turnsSoon = createPaced(clock, 1000, turns);
  const typedSoon = createPaced(clock, 500, typed);

  function turns(): void {
    turnsSoon.callOff();
    const { conversationId, turns, shownId } = current();
    transcript.saveTurns({ conversationId, turns, shownId });
  }

  function typed(): void {
    typedSoon.callOff();
    const { draft, setAside, editedId, wasRefused } = current();
    transcript.saveTyped({ draft, setAside, editedId, wasRefused });
  }

  return {
    turns,
    typed,
    turnsSoon: turnsSoon.ask,
    typedSoon: typedSoon.ask,
    all(): void {
      turns();
      typed();
    },
  };
}
