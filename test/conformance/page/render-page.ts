import { basename } from 'node:path';
import type { ListedTest } from './list-tests.ts';
import { readStatement, statementCount, summaryOf } from './statements.ts';

export const pagePath = 'docs/conformance.md';

const heading = `# Conformance

What the service promises, statement by statement, and the test that proves it. \`npm test\` runs them all: against the real
application, over HTTP, with a model provider that does as a test tells it. Where a statement is about the client, its
conversation is driven without a browser, and the same is shown in a real one by \`npm run test:e2e\`.

\`npm run conformance\` runs the statements and, where all are proven, writes this page. \`npm test\` fails where the page no
longer tells what the tests are.
`;

/**
 * The page about these tests.
 * @throws Error where a statement has no test, or more than one
 */
export function renderPage(tests: readonly ListedTest[]): string {
  const proofs = tests.filter(({ file }) => file.startsWith('test/conformance/'));
  const { allProven, text } = summaryOf(proofs.map(({ title }) => ({ title, passed: true })));
  if (!allProven) throw new Error(`The tests in test/conformance do not state what the specification does: ${text}`);

  const statements = proofs
    .flatMap(({ title, chapter, file }) => {
      const statement = readStatement(title);
      return statement === null ? [] : [{ ...statement, chapter, file }];
    })
    .toSorted((one, other) => one.number - other.number);
  const chapters = Map.groupBy(statements, ({ chapter }) => chapter);

  const tables = [...chapters].map(([chapter, rows]) => {
    const lines = rows.map(({ number, sentence, file }) => {
      const links = [file, ...browserTestsOf(number, tests)].map(link).join(', ');
      return `| ${number} | ${sentence.replaceAll('|', '\\|')} | ${links} |`;
    });
    return `## ${chapter}\n\n| | Statement | Test |\n|---:|---|---|\n${lines.join('\n')}\n`;
  });
  return [heading, `${statementCount} of ${statementCount} statements are proven.\n`, ...tables].join('\n');
}

/** The files with the browser tests of a statement, whose titles begin with its number and a colon. */
function browserTestsOf(number: number, tests: readonly ListedTest[]): Set<string> {
  return new Set(
    tests
      .filter(({ title, file }) => file.startsWith('test/e2e/') && title.startsWith(`${number}: `))
      .map(({ file }) => file),
  );
}

function link(file: string): string {
  const name = basename(file, '.test.ts');
  return `[${file.startsWith('test/e2e/') ? `${name}, in a browser` : name}](../${file})`;
}
