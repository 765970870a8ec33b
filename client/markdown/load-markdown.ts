type MarkdownModule = typeof import('./markdown.tsx');

let loading: Promise<void> | undefined;
let loaded: MarkdownModule | undefined;
let isMissing = false;
let hasFailed = false;
const listeners = new Set<() => void>();

/** Who waits for it longer than this reads the text as it was written. */
const maxWaitMilliseconds = 2000;
let timeout: ReturnType<typeof setTimeout> | undefined;

/**
 * Fetches what shows Markdown, a chunk of its own: the first page works without it, and a conversation asks for it before
 * the first reply arrives. After a failure, the next call tries again.
 */
export function loadMarkdown(): Promise<void> {
  loading ??= import('./markdown.tsx').then(
    (module) => {
      loaded = module;
      tell();
    },
    () => {
      loading = undefined;
      isMissing = true;
      hasFailed = true;
      tell();
    },
  );
  return loading;
}

/** The same, and what draws formulas where `texts` may have some: what is kept is painted once. */
export async function loadMarkdownFor(texts: readonly string[]): Promise<void> {
  await loadMarkdown();
  await loaded?.prepareFor(texts);
}

/** What shows Markdown; undefined while it is on its way, and `missing` where it cannot be had or takes too long. */
export const currentMarkdown = () => loaded?.Markdown ?? (isMissing ? 'missing' : undefined);

/** Whether what shows Markdown could not be loaded. A slow network is no failure. */
export const isMarkdownLost = () => loaded === undefined && hasFailed;

/** Loads what shows Markdown and calls `listener` when that changes, in the shape that `useSyncExternalStore` asks for. */
export function whenMarkdownIsLoaded(listener: () => void): () => void {
  listeners.add(listener);
  // All replies of the page change together, whenever each of them came.
  if (loaded === undefined && !isMissing)
    timeout ??= setTimeout(() => {
      isMissing = true;
      tell();
    }, maxWaitMilliseconds);
  loadMarkdown();
  return () => {
    listeners.delete(listener);
  };
}

function tell(): void {
  clearTimeout(timeout);
  for (const listener of listeners) listener();
}
