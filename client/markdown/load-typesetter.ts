type Typesetter = typeof import('./typeset-formula.ts').typesetFormula;

let loading: Promise<void> | undefined;
let loaded: Typesetter | undefined;

/** Fetches what draws formulas, a chunk of its own, for most replies have none. After a failure, the next call tries again. */
export function loadTypesetter(): Promise<void> {
  loading ??= import('./typeset-formula.ts').then(
    (module) => {
      loaded = module.typesetFormula;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** What draws formulas, or undefined where it is not here yet. */
export const currentTypesetter = () => loaded;

/** Loads what draws formulas and calls `listener` when it is here, in the shape that `useSyncExternalStore` asks for. */
export function whenTypesetterIsLoaded(listener: () => void): () => void {
  let isListening = true;
  loadTypesetter().then(() => {
    if (isListening) listener();
  });
  return () => {
    isListening = false;
  };
}

/** Whether `text` may come to hold a formula: then what draws it is fetched ahead, and nothing changes its height later. */
export function mayHaveFormula(text: string): boolean {
  return ['\\(', '\\[', '$'].some((mark) => text.includes(mark));
}
