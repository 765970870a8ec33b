import type { Clock } from '../chat/clock.ts';
import { createStore } from '../chat/store.ts';

export type ConversationSearchState<Found> = {
  /** As they stand in the search field. */
  words: string;
  /** What they were found in, the latest first; undefined while nothing is looked for, or not known yet. */
  found: readonly Found[] | undefined;
};

export type ConversationSearch<Found> = ReturnType<typeof createConversationSearch<Found>>;

/** Long enough that a word is not looked for letter by letter, short enough to seem immediate. */
const typingPauseMilliseconds = 150;

/**
 * Looks for words with `search`, whose signal aborts once nobody waits for it, as they are typed, once the typing pauses. What is found of older words never replaces what
 * is found of newer ones; until those are found, the older stay.
 */
export function createConversationSearch<Found>(
  search: (words: string, signal: AbortSignal) => Promise<readonly Found[]>,
  clock: Clock,
) {
  const { getState, subscribe, update } = createStore<ConversationSearchState<Found>>({ words: '', found: undefined });
  let callOff = () => {};
  let latest = new AbortController();

  async function look(): Promise<void> {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    const found = await search(getState().words, signal).catch(() => []);
    if (!signal.aborted) update({ found });
  }

  return {
    getState,
    subscribe,

    /** Takes what stands in the search field. Blank words look for nothing. */
    setWords(words: string): void {
      callOff();
      const isBlank = words.trim() === '';
      if (isBlank) latest.abort();
      else callOff = clock.after(typingPauseMilliseconds, look);
      update(isBlank ? { words, found: undefined } : { words });
    },

    /** Looks again for the same words: the conversations have changed. */
    lookAgain(): void {
      if (getState().found !== undefined) void look();
    },
  };
}
