/** One change to the product's text that removes a protection, and the one test that must notice it. */
export type Hole = {
  /** What the product does wrong, in words. */
  name: string;
  /** The file to change, from the project's root. */
  file: string;
  /** The text to replace there: it occurs exactly once. */
  find: string;
  replace: string;
  /** `title` is the whole of mocha's: every `describe` around the test, then its `it`. */
  test: { file: string; title: string };
};
