import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { buildClient } from '../../server/pages/client-build.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

/** The most that the JavaScript of the first load may have, gzipped. */
const maxBytes = 150_000;

describe('the first load', () => {
  it(`has at most ${maxBytes / 1000} kB of JavaScript, without what shows replies`, async () => {
    await using stack = new AsyncDisposableStack();
    const { path, remove } = await temporaryDirectory();
    stack.defer(remove);
    await buildClient(root, path);
    const page = readFileSync(join(path, 'index.html'), 'utf8');
    const [first = [], later = []] = [true, false].map((isNamed) =>
      globSync('**/*.js', { cwd: path }).filter((name) => page.includes(`"/${name}"`) === isNamed),
    );
    const bytes = first.reduce((sum, name) => sum + gzipSync(readFileSync(join(path, name))).length, 0);
    // React alone is larger than the least.
    expect(bytes).to.be.within(50_000, maxBytes);
    expect(later.join()).to.contain('markdown').and.contain('highlighted-code');
  });
});
