import { basename } from 'node:path';
import { z } from 'zod';

const testSchema = z.object({ title: z.string(), fullTitle: z.string(), file: z.string() });

/** A hook that fails is one too, under a title of its own. One that belongs to all files has no file. */
const failureSchema = testSchema.omit({ file: true });

/** As much of mocha's JSON report as this needs. */
export const reportSchema = z.object({ passes: z.array(testSchema), failures: z.array(failureSchema) });

export type Report = z.infer<typeof reportSchema>;
type Test = Report['passes'][number];

/** The numbers at the start of a test's title. */
export function rowsOf({ title }: Pick<Test, 'title'>): number[] {
  return (/^(?:\d+ )+/.exec(title)?.[0] ?? '').split(' ').filter(Boolean).map(Number);
}

/** Whatever fails in a property may belong to any of the rows that its title names: it tells of none in particular. */
export const isProperty = ({ file }: Pick<Test, 'file'>) => basename(file).includes('-property.');

/**
 * The tests that passed in the `whole` product and not in the one with a fault: failed, or not even begun because a hook
 * before them failed. Where it was the hook after a test, that test has failed too.
 */
export function failedTests(whole: Report, faulty: Report): Test[] {
  const passed = new Set(faulty.passes.map(({ fullTitle }) => fullTitle));
  const failed = new Set(faulty.failures.map(({ fullTitle }) => fullTitle));
  const unclean = new Set(faulty.failures.map(({ title }) => /^"after each" hook.* for "(.*)"$/s.exec(title)?.[1]));
  return whole.passes.filter(
    ({ title, fullTitle }) => !passed.has(fullTitle) || failed.has(fullTitle) || unclean.has(title),
  );
}

/** The rows of these tests, each once, in ascending order. */
export function rowsOfTests(tests: readonly Test[]): number[] {
  const rows = tests.filter((test) => !isProperty(test)).flatMap(rowsOf);
  return [...new Set(rows)].toSorted((a, b) => a - b);
}
