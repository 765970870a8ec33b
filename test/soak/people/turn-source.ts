/**
 * Hands out the numbers of the turns, 1 to `turns`, never more than `leave` allows: whoever comes too early waits, so that
 * the run does not overtake its faults.
 */
export function createTurnSource(turns: number) {
  let begun = 0;
  let allowed = 0;
  let changed = Promise.withResolvers<void>();

  function change(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  }

  return {
    /** The next turn's number, or undefined when there are no more. */
    async next(): Promise<number | undefined> {
      while (begun < turns && begun >= allowed) await changed.promise;
      if (begun >= turns) return undefined;
      begun += 1;
      change();
      return begun;
    },

    /** Lets turns up to this number begin. */
    allow(turn: number): void {
      allowed = turn;
      change();
    },

    /** Resolves when this turn has begun. */
    async reached(turn: number): Promise<void> {
      while (begun < turn) await changed.promise;
    },

    get progress(): number {
      return begun / turns;
    },
  };
}

export type TurnSource = ReturnType<typeof createTurnSource>;
