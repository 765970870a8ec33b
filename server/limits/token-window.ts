/** A window that has a place for what is asked, or the milliseconds until it has. */
export type Admission = { admitted: true } | { admitted: false; waitMilliseconds: number };

/**
 * The tokens that were used in the trailing window. What is asked for is admitted while the sum is below the budget; it
 * counts from that moment on, by what was reserved and then by what it was settled at.
 */
export type TokenWindow = {
  reserve(id: string, tokens: number): Promise<Admission>;
  /** Counts `tokens` in place of what was reserved; does nothing where that has aged out. */
  settle(id: string, tokens: number): Promise<void>;
  /** The sum now. */
  used(): Promise<number>;
};

/** How many uses are kept apart: about 10 MB. The two oldest of more count as one, for as long as the younger. */
export const mostUses = 100_000;
