/** A store in the shape that React's `useSyncExternalStore` reads. */
export function createStore<State>(initial: State) {
  const { tell, add: subscribe } = createListeners<[]>();
  let state = initial;

  return {
    getState: () => state,
    subscribe,

    /** Replaces the given parts of the state and notifies the subscribers. */
    update(parts: Partial<State>): void {
      state = { ...state, ...parts };
      tell();
    },
  };
}

/** A set of listeners. */
export function createListeners<Values extends unknown[]>() {
  const listeners = new Set<(...values: Values) => void>();

  return {
    tell(...values: Values): void {
      for (const listener of listeners) {
        try {
          listener(...values);
        } catch (error) {
          // Reported as uncaught, like the error of an event listener: it must not end the turn or skip the other listeners.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },

    /** Adds a listener. Returns a function that removes it. */
    add(listener: (...values: Values) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
