import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { buildClientIfStale, clientBuildDirectory, computeBuildId } from '../../../server/pages/client-build.ts';
import { perSuite } from '../../support/per-suite.ts';
import { root, temporaryDirectory } from '../../support/served-process.ts';

/** Vite builds faster without the plugins. */
const withoutPlugins = 'export default { build: { emptyOutDir: true } };';

describe('the client build', () => {
  const project = perSuite(() => temporaryDirectory());
  before(async () => {
    await mkdir(join(project.path, 'client/diagram'), { recursive: true });
    await writeFile(join(project.path, 'client/diagram/diagram.html'), '<!doctype html><title>Diagram</title>');
    await mkdir(join(project.path, 'shared'));
    await writeFile(join(project.path, 'vite.config.ts'), withoutPlugins);
    await writeFile(join(project.path, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project.path, 'client/main.js'), `document.title = 'Where do we start?';`);
    await writeFile(
      join(project.path, 'client/index.html'),
      '<!doctype html><script type="module" src="./main.js"></script>',
    );
  });

  const scripts = (names: string[]) => names.filter((name) => /^assets\/.*\.js$/.test(name));

  const remainingFiles = async () =>
    (await readdir(join(project.path, clientBuildDirectory), { recursive: true })).sort();

  it('is complete if two processes build at the same time, and is reused by a later process', async () => {
    const builds = await Promise.all([1, 2].map(() => buildClientIfStale(project.path)));
    expect(builds).to.deep.equal([true, true]);
    const files = await remainingFiles();
    expect(files).to.include.members(['.sources', 'index.html']);
    expect(scripts(files)).to.have.length(1);
    expect(await readdir(join(project.path, 'dist'))).to.deep.equal(['client']);
    expect(await buildClientIfStale(project.path)).to.equal(false);
  });

  it('is a production build for any NODE_ENV, which replaces the previous one once it is complete and leaves no temporary files', async () => {
    const former = await remainingFiles();
    const config = JSON.stringify(join(root, 'vite.config.ts'));
    await writeFile(
      join(project.path, 'vite.config.ts'),
      `import { readdir, writeFile } from 'node:fs/promises';
       import config from ${config};
       const look = async () => {
         const served = await readdir(${JSON.stringify(join(project.path, clientBuildDirectory))}, { recursive: true }).catch(() => []);
         await writeFile(${JSON.stringify(join(project.path, 'served.json'))}, JSON.stringify(served.sort()));
       };
       export default { ...config, plugins: [...config.plugins, { name: 'look', writeBundle: look }] };`,
    );
    const title = JSON.stringify('Where do we start? '.repeat(100));
    await writeFile(join(project.path, 'client/main.js'), `document.title = ${title} + process.env.NODE_ENV;`);
    const { NODE_ENV } = process.env;
    process.env.NODE_ENV = 'development';
    try {
      expect(await buildClientIfStale(project.path)).to.equal(true);
      expect(process.env.NODE_ENV).to.equal('development');
    } finally {
      if (NODE_ENV === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = NODE_ENV;
    }
    expect(JSON.parse(await readFile(join(project.path, 'served.json'), 'utf8'))).to.deep.equal(former);
    const [script = '', ...others] = scripts(await remainingFiles());
    expect(others).to.deep.equal([]);
    expect(former).not.to.include(script);
    expect(await readFile(join(project.path, clientBuildDirectory, script), 'utf8')).to.contain(
      'Where do we start? production',
    );
  });

  it('has a brotli and a gzip copy of its script, each smaller and with the same content', async () => {
    const script = (await remainingFiles()).find((name) => name.endsWith('.js')) ?? '';
    const read = (ending: string) => readFile(join(project.path, clientBuildDirectory, script + ending));
    const [plain, brotli, gzip] = await Promise.all([read(''), read('.br'), read('.gz')]);
    expect(brotliDecompressSync(brotli)).to.deep.equal(plain);
    expect(gunzipSync(gzip)).to.deep.equal(plain);
    expect(Math.max(brotli.length, gzip.length)).to.be.below(plain.length);
  });

  it('throws on failure, and leaves the previous build in place', async () => {
    const former = await remainingFiles();
    await writeFile(join(project.path, 'vite.config.ts'), withoutPlugins);
    await writeFile(join(project.path, 'client/main.js'), `import './missing.js';`);
    const refused = await buildClientIfStale(project.path).then(() => undefined, String);
    expect(refused).to.contain('The client cannot be built.').and.contain('./missing.js');
    expect(await remainingFiles()).to.deep.equal(former);
  });

  it('is built again if only shared, package.json or vite.config.ts has changed', async () => {
    await writeFile(join(project.path, 'client/main.js'), `document.title = 'Other advice';`);
    expect(await buildClientIfStale(project.path)).to.equal(true);
    for (const file of ['shared/errors.js', 'package.json', 'vite.config.ts']) {
      await appendFile(join(project.path, file), '\n');
      expect(await buildClientIfStale(project.path), file).to.equal(true);
      expect(await buildClientIfStale(project.path), file).to.equal(false);
    }
  });

  it('changes the build id if the server, the client, a shared source or package.json changes', async () => {
    await mkdir(join(project.path, 'server'));
    const builds = [await computeBuildId(project.path)];
    expect(await computeBuildId(project.path)).to.equal(builds[0]);
    for (const file of ['server/main.js', `${clientBuildDirectory}/index.html`, 'shared/errors.js', 'package.json']) {
      await appendFile(join(project.path, file), '\n');
      const build = await computeBuildId(project.path);
      expect(build, file).to.match(/^[\da-f]{12}$/);
      expect(builds, file).not.to.include(build);
      builds.push(build);
    }
  });
});
