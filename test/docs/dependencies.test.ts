import { globSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { code, readDocument, readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

const { dependencies, devDependencies } = JSON.parse(readText('package.json'));
const named: Record<string, string> = { ...dependencies, ...devDependencies };
const document = readDocument('docs/dependencies.md');
const server = document.tableUnder('## What runs on the server');
const client = document.tableUnder('## What is built into the client');
const others = document.tableUnder('## What builds and tests');

describe('docs/dependencies.md', () => {
  it('has a row for each package of package.json and for no other', () => {
    expect(server.map(([name]) => name)).to.deep.equal(Object.keys(dependencies).map(code));
    expect([...client, ...others].map(([name]) => name)).to.have.members(Object.keys(devDependencies).map(code));
  });

  it('says of each what it is for and who keeps it, with its version, its licence and how many packages it needs', () => {
    for (const [name = '', version, purpose, licence, needs, latest, owner, ...more] of [
      ...server,
      ...client,
      ...others,
    ]) {
      const bare = name.replaceAll('`', '');
      const installed = JSON.parse(readText(`node_modules/${bare}/package.json`));
      const facts = {
        version: named[bare],
        licence: installed.license ?? installed.licenses[0].type,
        needs: Object.keys(installed.dependencies ?? {}).length,
      };
      expect({ version, licence, needs: Number(needs) }, name).to.deep.equal(facts);
      expect(installed.version, name).to.equal(version);
      expect(latest, name).to.match(/^\d+\.\d+\.\d+, (20\d\d-\d\d|2024 or before)$/);
      expect([purpose, owner, more.length], name).not.to.include.oneOf(['', undefined]);
    }
  });

  it('counts to the client the packages that its sources import', () => {
    const files = globSync('{client,shared}/**/*.{ts,tsx}', { cwd: root });
    const imports = files.flatMap((file) => [
      ...readText(file).matchAll(/(?: from |^import |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/gm),
    ]);
    const imported = new Set(imports.map(([, name = '']) => name));
    const ofTheServer = Object.keys(dependencies);
    expect(client.map(([name]) => name)).to.have.members(
      [...imported].filter((name) => !ofTheServer.includes(name)).map(code),
    );
  });

  it('says within how many days each kind of vulnerability is mended', () => {
    const days = document
      .tableUnder('## When a package has a vulnerability')
      .map(([, within = '']) => Number.parseInt(within, 10));
    expect(days).to.have.length(4);
    expect(days).to.deep.equal(days.toSorted((a, b) => a - b));
  });
});
