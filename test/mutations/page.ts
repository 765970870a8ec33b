import type { Chapter } from './mutations.ts';
import { isExact, type Result } from './result.ts';

const introduction = `# What the conformance tests notice

A test that cannot fail proves nothing. Each line below is one fault that was put into a copy of the product: all of
\`test/conformance\` ran against it, and the rows named, by their numbers in the specification's list of statements, are
all that failed. The faults are in [test/mutations/list](../test/mutations/list).

\`\`\`bash
npm run test:mutations                            # all of it, an hour
npm run test:mutations -- --only "Retry-After"    # the faults with this in their name
npm run test:mutations -- --jobs 2                # two copies at a time
npm run test:mutations -- --write                 # all of it, and this page from the result
\`\`\`

The script fails where any other row fails than a fault's own list says, or one of those does not. A property, which
tries a statement with many inputs, is run too and belongs to no row. StrykerJS, which makes up such faults by itself,
is not used: its mocha runner does not load with this mocha, it cannot read this TypeScript's configuration, and it
would nearly double what \`npm ci\` installs.`;

/** `docs/mutations.md`, from the results of a run; faults of the chapters that were not part of it are counted. */
export function page(chapters: readonly Chapter[], results: readonly Result[]): string {
  const noticed = new Set(results.flatMap(({ rows }) => rows));
  const exact = results.filter(isExact).length;
  const left = chapters.flatMap(({ mutations }) => mutations).length - results.length;
  const summary = `${exact} of ${results.length} faults are noticed by exactly the rows that have to. ${noticed.size} of the 133 rows fail at least once.${left > 0 ? ` ${left} more of the list were not part of this run.` : ''}`;
  const tables = chapters.map(({ title, mutations }) =>
    [
      `## ${title}`,
      '',
      '| The fault | Where | Rows that fail |',
      '|---|---|---|',
      ...results.filter(({ mutation }) => mutations.includes(mutation)).map(tableRow),
    ].join('\n'),
  );
  return `${[introduction, summary, ...tables].join('\n\n')}\n`;
}

function tableRow(result: Result): string {
  const { mutation, rows, problem } = result;
  const expected = isExact(result) ? '' : ` (expected: ${mutation.rows.join(', ')})`;
  return `| ${mutation.name} | \`${mutation.file}\` | ${problem ?? rows.join(', ')}${expected} |`;
}
