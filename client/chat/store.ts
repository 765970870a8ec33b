/** A value that can be watched, in the shape that React's `useSyncExternalStore` reads. */
export function createStore<State>(initial: State) {
  const { tell, add: subscribe } = createListeners<[]>();
  let state = initial;

  return {
    getState: () => state,
    subscribe,

    /** Replaces the given parts of the state and tells everyone who watches. */
    update(parts: Partial<State>): void {
      state = { ...state, ...parts };
      tell();
    },
  };
}

/** Who wants to hear of something. */
export function createListeners<Values extends unknown[]>() {
  const listeners = new Set<(...values: Values) => void>();

  return {
    tell(...values: Values): void {
      for (const listener of listeners) {
        try {
          listener(...values);
        } catch (error) {
          // Reported as uncaught, as the error of an event listener is: it must not end the turn or keep others from hearing.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },

    /** Calls `listener` from now on, until the returned function is called. */
    add(listener: (...values: Values) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
