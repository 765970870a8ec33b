import type { Mutation } from './mutation.ts';

/** What became of the conformance tests with one fault in the product. */
export type Result = {
  mutation: Mutation;
  /** The rows that failed, in ascending order. */
  rows: readonly number[];
  /** The titles of the properties that failed: they are noted, and belong to no row. */
  properties: readonly string[];
  /** Why there is no result, if so. */
  problem?: string;
};

/** Expected rows that passed, and rows that failed and were not expected. */
export function differences({ mutation, rows }: Pick<Result, 'mutation' | 'rows'>) {
  return {
    missed: mutation.rows.filter((row) => !rows.includes(row)),
    surplus: rows.filter((row) => !mutation.rows.includes(row)),
  };
}

export function isExact(result: Result): boolean {
  const { missed, surplus } = differences(result);
  return result.problem === undefined && missed.length === 0 && surplus.length === 0;
}

/** One line for a person who waits. */
export function described(result: Result): string {
  const { mutation, rows, properties, problem } = result;
  if (problem !== undefined) return `no result      ${mutation.name}: ${problem}`;
  const { missed, surplus } = differences(result);
  const verdicts = [...(missed.length > 0 ? ['too few'] : []), ...(surplus.length > 0 ? ['too many'] : [])];
  return [
    (verdicts.join(', ') || 'exactly').padEnd(17),
    `${mutation.name}: ${rows.join(' ') || 'no row fails'}`,
    ...(missed.length > 0 ? [`; passes wrongly: ${missed.join(' ')}`] : []),
    ...(surplus.length > 0 ? [`; not expected: ${surplus.join(' ')}`] : []),
    ...(properties.length > 0 ? [' (and a property)'] : []),
  ].join('');
}
