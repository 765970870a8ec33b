import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

type Component = { name: string; version: string; hashes: { alg: string; content: string }[] };

describe('npm run sbom', () => {
  let bill: { bomFormat: string; components: Component[] };

  before(() => {
    // NODE_ENV=production makes npm omit development dependencies, which the script must override.
    const env = { ...process.env, NODE_ENV: 'production' };
    bill = JSON.parse(
      execFileSync(process.execPath, ['.ci/sbom.ts'], { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 28 }),
    );
  });

  it('lists every package of the server with its hash, in CycloneDX', () => {
    expect(bill.bomFormat).to.equal('CycloneDX');
    const locked: Record<string, { version: string; dev?: boolean }> = JSON.parse(
      readText('package-lock.json'),
    ).packages;
    const names = Object.entries(locked)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`);
    expect(names).to.include('zod@4.6.7');
    expect(bill.components.map(({ name, version }) => `${name}@${version}`)).to.include.members(names);
    for (const { name, hashes } of bill.components) expect(hashes[0]?.alg, name).to.equal('SHA-512');
  });

  it('lists the packages of the client, but no development dependencies', () => {
    const names = bill.components.map(({ name }) => name);
    expect(names).to.include.members(['react', 'react-dom', 'wouter', '@tanstack/react-query']);
    expect(names).not.to.include.oneOf(['mocha', 'typescript', 'vite', 'node', 'emulate', '@mikro-orm/pglite']);
  });
});
