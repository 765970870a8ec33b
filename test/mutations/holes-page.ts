import type { HoleChapter } from './holes.ts';
import type { Verdict } from './verdict.ts';

const introduction = `# Planted holes

Each line below is one change to the product that removes a protection. One test must notice it. The script makes a copy
of the project, makes the change there, and runs this one test: it has to fail. Before that, the script shows that the
test passes without the change. The changes are in [test/mutations/holes](../test/mutations/holes).

\`\`\`bash
.ci/with-services npm run test:holes                         # all of them, on a PostgreSQL and a Redis of their own
npm run test:holes -- --only "request id"                    # the holes with this in their name
.ci/with-services npm run test:holes -- --write              # all of them, and this page from the result
\`\`\`

The list of [faults](mutations.md) is another one: it shows which statements of the specification notice a fault, out of
all of them.`;

/** `docs/holes.md`, from the verdicts on all holes. */
export function holesPage(chapters: readonly HoleChapter[], verdicts: readonly Verdict[]): string {
  const noticed = verdicts.filter((verdict) => verdict.noticed).length;
  const summary = `${noticed} of ${verdicts.length} holes are noticed.`;
  const tables = chapters.map(({ title, holes }) =>
    [
      `## ${title}`,
      '',
      '| The hole | Where | The test that notices it |',
      '|---|---|---|',
      ...verdicts.filter(({ hole }) => holes.includes(hole)).map(tableRow),
    ].join('\n'),
  );
  return `${[introduction, summary, ...tables].join('\n\n')}\n`;
}

function tableRow({ hole, noticed, problem }: Verdict): string {
  const { name, file, test } = hole;
  const exception = noticed ? '' : ` (${problem ?? 'it does not'})`;
  return `| ${inCell(name)} | \`${file}\` | ${inCell(test.title)}${inCell(exception)} |`;
}

/** As it is, also where a title quotes Markdown: none of it is a link, a tag or emphasis. */
function inCell(text: string): string {
  return text
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('[', '&#91;')
    .replaceAll(']', '&#93;')
    .replaceAll('*', '\\*');
}
