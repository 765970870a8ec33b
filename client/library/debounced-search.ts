import type { Clock } from '../chat/clock.ts';
import { createStore } from '../store.ts';

type SearchState<Result> = {
  query: string;
  /** The results, latest first; undefined while the field is blank, and until the first search has ended. */
  results: readonly Result[] | undefined;
};

export type DebouncedSearch<Result> = ReturnType<typeof createDebouncedSearch<Result>>;

/** Long enough not to search on every key press, short enough to seem immediate. */
const typingPauseMilliseconds = 150;

/**
 * Debounces the search. The signal passed to `search` aborts when the next search starts or the words become blank. Results stay
 * until new ones arrive, a search fails, or the words become blank.
 */
export function createDebouncedSearch<Result>(
  search: (words: string, signal: AbortSignal) => Promise<readonly Result[]>,
  clock: Clock,
) {
  const { getState, subscribe, update } = createStore<SearchState<Result>>({ query: '', results: undefined });
  let cancelTimer = () => {};
  let latest = new AbortController();

  async function runSearch(): Promise<void> {
    latest.abort();
    latest = new AbortController();
    const { signal } = latest;
    const results = await search(getState().query, signal).catch(() => []);
    if (!signal.aborted) update({ results });
  }

  return {
    getState,
    subscribe,

    setQuery(query: string): void {
      cancelTimer();
      const isBlank = query.trim() === '';
      if (isBlank) latest.abort();
      else cancelTimer = clock.after(typingPauseMilliseconds, runSearch);
      update(isBlank ? { query, results: undefined } : { query });
    },

    refresh(): void {
      if (getState().results !== undefined) void runSearch();
    },
  };
}
