/** A value that can be watched, in the shape that React's `useSyncExternalStore` reads. */
export function createStore<State>(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();

  return {
    getState: () => state,

    /** Replaces the given parts of the state and tells everyone who watches. */
    update(parts: Partial<State>): void {
      state = { ...state, ...parts };
      for (const listener of listeners) listener();
    },

    /** Calls `listener` after every change until the returned function is called. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Who wants to hear of something. */
export function createListeners<Values extends unknown[]>() {
  const listeners = new Set<(...values: Values) => void>();

  return {
    tell(...values: Values): void {
      for (const listener of listeners) listener(...values);
    },

    /** Calls `listener` from now on, until the returned function is called. */
    add(listener: (...values: Values) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
