import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { buildClientIfStale, builtClient, putInPlace } from '../../../server/pages/client-build.ts';
import { root, temporaryDirectory } from '../../support/served-process.ts';

describe('the client that a start builds', function () {
  this.timeout(30_000);
  let project: Awaited<ReturnType<typeof temporaryDirectory>>;

  before(async () => {
    project = await temporaryDirectory();
    await mkdir(join(project.path, 'client'));
    await mkdir(join(project.path, 'shared'));
    const config = JSON.stringify(join(root, 'vite.config.ts'));
    await writeFile(
      join(project.path, 'vite.config.ts'),
      `import config from ${config};
       const hold = { name: 'hold', apply: 'build', writeBundle: () => globalThis.bundleWritten?.() };
       export default { ...config, plugins: [...config.plugins, hold] };`,
    );
    await writeFile(join(project.path, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project.path, 'client/main.js'), `document.title = 'Advice';`);
    await writeFile(
      join(project.path, 'client/index.html'),
      '<!doctype html><script type="module" src="./main.js"></script>',
    );
  });
  after(async () => {
    Object.assign(globalThis, { bundleWritten: undefined });
    await project.remove();
  });

  const left = async () => (await readdir(join(project.path, builtClient), { recursive: true })).sort();

  it('is whole where several starts build it at the same time, and the next one builds nothing', async () => {
    const builds = await Promise.all([1, 2, 3].map(() => buildClientIfStale(project.path)));
    expect(builds).to.deep.equal([true, true, true]);
    const files = await left();
    expect(files).to.include.members(['.sources', 'index.html']);
    expect(files.filter((name) => name.endsWith('.js'))).to.have.length(1);
    expect(await readdir(join(project.path, 'dist'))).to.deep.equal(['client']);
    expect(await buildClientIfStale(project.path)).to.equal(false);
  });

  it('is put in place whole, however often others do the same at that moment', async () => {
    const place = join(project.path, 'placed/client');
    await mkdir(join(project.path, 'placed'));
    const putMany = async (name: string) => {
      for (let index = 0; index < 50; index += 1) {
        const draft = join(project.path, 'placed', `${name}-${index}`);
        await mkdir(draft);
        await writeFile(join(draft, 'index.html'), name);
        await putInPlace(draft, place);
      }
    };
    const names = ['one', 'two', 'three', 'four'];
    await Promise.all(names.map(putMany));
    expect(names).to.include(await readFile(join(place, 'index.html'), 'utf8'));
    expect(await readdir(join(project.path, 'placed'))).to.deep.equal(['client']);
  });

  it('is replaced at once when its sources have changed, whole until then and nothing of it left after that', async () => {
    const former = await left();
    await writeFile(join(project.path, 'client/main.js'), `document.title = 'Other advice';`);
    let meanwhile: string[] = [];
    const bundleWritten = async () => {
      meanwhile = await left();
    };
    Object.assign(globalThis, { bundleWritten });
    expect(await buildClientIfStale(project.path)).to.equal(true);
    expect(meanwhile).to.deep.equal(former);
    const scripts = (names: string[]) => names.filter((name) => name.endsWith('.js'));
    expect(scripts(await left()))
      .to.have.length(1)
      .and.not.deep.equal(scripts(former));
  });
});
