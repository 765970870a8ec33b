/** One protection taken out of the product, and the test that has to notice it. */
export type Hole = {
  /** What the product does wrong, in words. */
  name: string;
  /** The file that the fault is in, from the project's root. */
  file: string;
  /** The text that is wrong there: it occurs exactly once. */
  find: string;
  replace: string;
  test: {
    /** From the project's root. */
    file: string;
    /** The full title, as mocha prints it: what stands above it and its own. */
    title: string;
  };
};
