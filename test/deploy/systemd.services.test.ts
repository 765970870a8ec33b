import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { ofSuite } from '../support/of-suite.ts';
import { temporaryDirectory } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';

const name = 'advisory-chat@.service';

describe(`docs/deploy/${name}`, () => {
  let instance: string;

  const files = ofSuite(() => temporaryDirectory());
  before(async () => {
    instance = join(files.path, 'advisory-chat@3001.service');
    await writeFile(instance, readText(`docs/deploy/${name}`).replace('/usr/bin/node', process.execPath));
  });

  it('passes the verification of systemd', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', instance]);
    expect(stdout + stderr).not.to.include('advisory-chat@');
  });

  it('leaves the service few rights, by the measure of systemd', async () => {
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', instance]);
  });
});
