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
