/** One fault in the product, and the rows of the specification whose tests have to notice it. */
export type Mutation = {
  /** What the product does wrong, in words. */
  name: string;
  /** The file that the fault is in, from the project's root. */
  file: string;
  /** The text that is wrong there: it occurs exactly once. */
  find: string;
  replace: string;
  /** Every row that fails, in ascending order. */
  rows: readonly number[];
};

/** A change to one file of the product. */
type Change = Pick<Mutation, 'name' | 'file' | 'find' | 'replace'>;

/**
 * Gives `source`, the text of the changed file, with the change in it.
 * @throws where the text to replace does not occur exactly once
 */
export function applied({ name, file, find, replace }: Change, source: string): string {
  const [before, after, ...others] = source.split(find);
  if (before === undefined || after === undefined || others.length > 0) {
    const times = source.split(find).length - 1;
    throw new Error(`"${name}": its text occurs ${times} times in ${file}, and has to occur once:\n${find}`);
  }
  return before + replace + after;
}
