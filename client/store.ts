/** Creates an observable state for React's `useSyncExternalStore`. */
export function createStore<State>(initial: State) {
  const { notify, add: subscribe } = createListeners<[]>();
  let state = initial;

  return {
    getState: () => state,
    subscribe,

    update(changes: Partial<State>): void {
      state = { ...state, ...changes };
      notify();
    },
  };
}

export function createListeners<Values extends unknown[]>() {
  const listeners = new Set<(...values: Values) => void>();

  return {
    notify(...values: Values): void {
      for (const listener of listeners) {
        try {
          listener(...values);
        } catch (error) {
          // The error is reported as uncaught, like the error of a DOM event listener, so that it neither ends the turn nor skips
          // other listeners.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },

    add(listener: (...values: Values) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
