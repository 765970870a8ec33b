import type { Markdown } from './markdown.tsx';

let loading: Promise<void> | undefined;
let loaded: typeof Markdown | undefined;

/**
 * Fetches what shows Markdown, a chunk of its own: the first page works without it, and a conversation asks for it before
 * the first reply arrives. After a failure, the next call tries again.
 */
export function loadMarkdown(): Promise<void> {
  loading ??= import('./markdown.tsx').then(
    (module) => {
      loaded = module.Markdown;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** What shows Markdown, or undefined where it is not here yet. */
export const currentMarkdown = () => loaded;

/** Loads what shows Markdown and calls `listener` when it is here, in the shape that `useSyncExternalStore` asks for. */
export function whenMarkdownIsLoaded(listener: () => void): () => void {
  let isListening = true;
  loadMarkdown().then(() => {
    if (isListening) listener();
  });
  return () => {
    isListening = false;
  };
}
