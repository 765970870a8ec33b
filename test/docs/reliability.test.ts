import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { listTests } from '../conformance/page/list-tests.ts';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

const links = [...readText('docs/reliability.md').matchAll(/\[([^[\]]+)\]\(\.\.\/([^)]+)\)/g)].map(
  ([, title = '', path = '']) => ({ title, path }),
);
const named = links.filter(({ path }) => path.endsWith('.test.ts') && !path.startsWith('test/e2e/'));

describe('docs/reliability.md', () => {
  it('names tests that are there, in the files that it links', async () => {
    const tests = await listTests([...new Set(named.map(({ path }) => path))]);
    const titles = (path: string) =>
      tests.filter(({ file }) => file === path).map(({ chapter, title }) => `${chapter} ${title}`);
    const missing = named.filter(({ title, path }) => !titles(path).some((full) => full.includes(title)));
    expect(named).not.to.have.length(0);
    expect(missing).to.deep.equal([]);
  });

  it('links to nothing that is not there', () => {
    expect(links.filter(({ path }) => !existsSync(join(root, path.split('#', 1)[0] ?? '')))).to.deep.equal([]);
  });

  it('leaves out no file of the faults', () => {
    const files = globSync('test/faults/*.test.ts', { cwd: root });
    expect(files.filter((file) => !named.some(({ path }) => path === file))).to.deep.equal([]);
  });
});
