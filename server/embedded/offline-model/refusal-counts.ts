const mostRemembered = 100;

/** Counts how often each conversation was refused, for the latest hundred conversations that were. */
export function createRefusalCounts() {
  const counts = new Map<string, number>();
  return {
    /** Whether the conversation is to be refused again, given that it is refused `times` times: then it starts over. */
    take(key: string, times = Infinity): boolean {
      const refused = counts.get(key) ?? 0;
      counts.delete(key);
      if (refused >= times) return false;
      counts.set(key, refused + 1);
      const [oldest] = counts.keys();
      if (counts.size > mostRemembered && oldest !== undefined) counts.delete(oldest);
      return true;
    },
  };
}
