import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

type Locked = { version?: string; integrity?: string; resolved?: string; hasInstallScript?: boolean; dev?: boolean };

const { dependencies, devDependencies, allowScripts } = JSON.parse(readText('package.json'));
const { '': self, ...locked }: Record<string, Locked> = JSON.parse(readText('package-lock.json')).packages;
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** SHA-256 of the binary that the install script of `node` downloads, which the lockfile does not cover. */
const recordedNodes: Record<string, string> = {
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
};

describe('the packages', () => {
  it('have exact versions in package.json', () => {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, name).to.match(/^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+$/);
    }
  });

  it('have a SHA-512 hash and no registry URL in the lockfile', () => {
    for (const [path, { integrity, resolved }] of Object.entries(locked)) {
      expect(integrity, path).to.match(/^sha512-[\w+/]{86}==$/);
      // An address in the lockfile would override the registry.
      expect(resolved, path).to.equal(undefined);
    }
    expect(readText('.npmrc')).to.match(/^omit-lockfile-registry-resolved=true$/m);
  });

  it('have no install scripts except those that package.json allows', () => {
    const scripted = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript);
    const decided = scripted.filter(([path]) => nameOf(path) in allowScripts);
    expect(decided).to.deep.equal(scripted);
    expect(allowScripts).to.deep.equal({ node: true });
    expect(dependencies).not.to.have.property('node');
    expect(self).not.to.have.property('hasInstallScript');
  });

  it('have no install scripts that the lockfile does not declare', () => {
    for (const [path, { hasInstallScript = false }] of Object.entries(locked)) {
      const file = `${path}/package.json`;
      if (!existsSync(join(root, file))) continue;
      const { scripts = {} } = JSON.parse(readText(file));
      const builds = existsSync(join(root, path, 'binding.gyp'));
      const has = builds || ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
      expect(hasInstallScript, path).to.equal(has);
    }
  });

  it('install a Node binary with the recorded version and hash', () => {
    const node = readFileSync(join(root, 'node_modules/node/bin/node'));
    const recorded = recordedNodes[`${process.platform}-${process.arch}`];
    if (recorded !== undefined) expect(createHash('sha256').update(node).digest('hex')).to.equal(recorded);
    expect(execFileSync('node_modules/.bin/node', ['--version'], { cwd: root, encoding: 'utf8' }).trim()).to.equal(
      `v${devDependencies.node}`,
    );
  });
});
