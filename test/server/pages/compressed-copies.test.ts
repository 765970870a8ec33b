import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { build } from 'vite';
import { ofSuite } from '../../support/of-suite.ts';
import { root, temporaryDirectory } from '../../support/served-process.ts';

describe('the build of the client', function () {
  this.timeout(30_000);
  const built = () => join(directory.path, 'built');

  const directory = ofSuite(() => temporaryDirectory());
  before(async () => {
    const source = join(directory.path, 'source');
    await mkdir(source);
    const script = `document.title = ${JSON.stringify('Where do we start? '.repeat(100))};`;
    await writeFile(join(source, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
    await writeFile(join(source, 'main.js'), script);
    await build({
      root: source,
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'silent',
      build: { outDir: built() },
    });
  });

  it('leaves a brotli and a gzip copy beside a script, each with the same content and smaller', async () => {
    const names = await readdir(join(built(), 'assets'));
    const script = names.find((name) => name.endsWith('.js')) ?? '';
    expect(names).to.have.members([script, `${script}.br`, `${script}.gz`]);
    const read = (ending: string) => readFile(join(built(), 'assets', script + ending));
    const [plain, brotli, gzip] = await Promise.all([read(''), read('.br'), read('.gz')]);
    expect(brotliDecompressSync(brotli)).to.deep.equal(plain);
    expect(gunzipSync(gzip)).to.deep.equal(plain);
    expect(Math.max(brotli.length, gzip.length)).to.be.below(plain.length);
  });
});
