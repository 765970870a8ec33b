import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { root } from '../support/served-process.ts';

const express = { name: 'express', version: '5.3.0' };

describe('.ci/check-signatures.ts', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'advisory-chat-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Runs the check with an npm that answers `answer`. */
  function checked(answer: string) {
    const npm = join(directory, 'npm');
    writeFileSync(npm, `#!/bin/sh\ncat <<'ANSWER'\n${answer}\nANSWER\nexit 1\n`);
    chmodSync(npm, 0o755);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.ci/check-signatures.ts'], {
      cwd: root,
      env: { PATH: [directory, process.env.PATH].join(delimiter) },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  it('fails where a signature is wrong, and names the package', () => {
    expect(checked(JSON.stringify({ invalid: [express], missing: [] }))).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: "The registry's signature of express@5.3.0 is wrong.\n",
    });
  });

  it('fails where the registry signs, and a package has no signature', () => {
    expect(checked(JSON.stringify({ invalid: [], missing: [express] }))).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'The registry signs, and has no signature of express@5.3.0.\n',
    });
  });

  it('succeeds where every signature is right', () => {
    expect(checked(JSON.stringify({ invalid: [], missing: [] })).status).to.equal(0);
  });

  for (const error of [
    { code: 'ENOTFOUND', summary: 'request to https://keys.invalid failed' },
    { summary: 'found no dependencies to audit that were installed from a supported registry' },
  ]) {
    it(`says that nothing was checked, and succeeds, where ${error.summary}`, () => {
      const { status, stdout } = checked(JSON.stringify({ error }));
      expect(status).to.equal(0);
      expect(stdout).to.include(`NOT CHECKED: the registry's signatures. ${error.summary}\n`);
    });
  }

  for (const answer of ['', '{}', JSON.stringify({ error: { code: 'ESOMETHING', summary: 'Something else' } })]) {
    it(`fails where npm answers ${answer === '' ? 'nothing' : answer}`, () => {
      expect(checked(answer).status).to.equal(1);
    });
  }
});
