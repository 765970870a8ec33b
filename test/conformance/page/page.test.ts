import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from '../../support/served-process.ts';
import { listTests } from './list-tests.ts';
import { pagePath, renderPage } from './render-page.ts';

describe(pagePath, () => {
  it('lists every statement once, by the title and the file of its test: npm run conformance writes it', async () => {
    const page = readFileSync(join(root, pagePath), 'utf8');
    const expected = renderPage(await listTests());
    // Mocha shows no difference of texts as long as these.
    expect({ untrue: linesWithout(page, expected), absent: linesWithout(expected, page) }).to.deep.equal({
      untrue: [],
      absent: [],
    });
    expect(page).to.equal(expected);
  });
});

/** The lines of a text that another does not have. */
function linesWithout(text: string, other: string): string[] {
  const others = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !others.has(line));
}
