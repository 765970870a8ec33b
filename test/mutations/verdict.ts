import type { Hole } from './hole.ts';
import type { Report } from './rows.ts';

/** What came of one hole: whether its test failed, or why that cannot be said. */
export type Verdict = { hole: Hole; noticed: boolean; problem?: string };

/**
 * Whether the test of `hole` has failed in a run with the hole. A product that no longer starts proves nothing: then a
 * hook fails before the test, or there is no test.
 */
export function verdictOf(hole: Hole, report: Report): Verdict {
  const { title } = hole.test;
  const failures = report.failures.filter((failure) => failure.fullTitle === title || isAfter(failure.title, title));
  if (failures.length > 0) return { hole, noticed: true };
  if (report.passes.some(({ fullTitle }) => fullTitle === title)) return { hole, noticed: false };
  const [hook] = report.failures;
  return {
    hole,
    noticed: false,
    problem: hook ? `it did not come to the test: ${hook.title}` : 'there is no such test',
  };
}

/** Whether `hook` is the title of a hook that failed after the test, as where the test has left a line on the console. */
function isAfter(hook: string, title: string): boolean {
  const test = /^"after each" hook.* for "(.*)"$/s.exec(hook)?.[1];
  return test !== undefined && title.endsWith(test);
}

/** One line for a person who waits. */
export function describedVerdict({ hole, noticed, problem }: Verdict): string {
  if (problem !== undefined) return `no result    ${hole.name}: ${problem}`;
  return noticed ? `noticed      ${hole.name}` : `NOT NOTICED  ${hole.name}: ${hole.test.title}`;
}
