/** A window that has a place for what is asked, or the milliseconds until it has. */
export type Admission = { admitted: true } | { admitted: false; waitMilliseconds: number };

/**
 * The tokens that were used in the trailing window. The window admits a turn while the sum is below the budget. From then on the
 * turn counts: first the tokens that it reserved, later the tokens that it used.
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
