import { createListeners } from '../store.ts';

type MarkdownModule = typeof import('./markdown.tsx');

let loading: Promise<void> | undefined;
let loaded: MarkdownModule | undefined;
let isMissing = false;
let hasFailed = false;
const listeners = createListeners<[]>();

/** After this time, replies are shown as plain text until the renderer has loaded. */
const maxLoadingMilliseconds = 2000;
let timeout: ReturnType<typeof setTimeout> | undefined;

/**
 * Loads the Markdown renderer, a separate chunk that the first page does not need. A conversation loads it before the first reply
 * arrives. After a failure, the next call retries.
 */
export function loadMarkdown(): Promise<void> {
  loading ??= import('./markdown.tsx').then(
    (module) => {
      loaded = module;
      notifyListeners();
    },
    () => {
      loading = undefined;
      isMissing = true;
      hasFailed = true;
      notifyListeners();
    },
  );
  return loading;
}

/** Also loads the typesetter if `texts` may contain formulas, so that stored replies are painted once. */
export async function loadMarkdownFor(texts: readonly string[]): Promise<void> {
  await loadMarkdown();
  await loaded?.loadTypesetterFor(texts);
}

/** Returns the renderer; undefined while it loads, and `missing` if loading failed or takes too long. */
export const currentMarkdown = () => loaded?.Markdown ?? (isMissing ? 'missing' : undefined);

/** Returns whether loading has failed. A slow network does not count. */
export const hasMarkdownFailed = () => loaded === undefined && hasFailed;

/** Loads the renderer and calls `listener` on changes. For `useSyncExternalStore`. */
export function subscribeToMarkdown(listener: () => void): () => void {
  const unsubscribe = listeners.add(listener);
  // One timeout for the page, so that all replies change together.
  if (loaded === undefined && !isMissing)
    timeout ??= setTimeout(() => {
      isMissing = true;
      notifyListeners();
    }, maxLoadingMilliseconds);
  loadMarkdown();
  return unsubscribe;
}

function notifyListeners(): void {
  clearTimeout(timeout);
  listeners.notify();
}
